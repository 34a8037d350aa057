// The text form of addresses.

import Rowan
import RowanCluster
import Testing

@Suite struct NodeAddressTests {
    @Test(arguments: ["127.0.0.1:9001", "[::1]:9001", "[fe80::1%eth0]:1", "node-1.internal:65535", "a_b:1"])
    func addressesKeepTheirText(_ text: String) throws {
        #expect(try NodeAddress(text).description == text)
    }
}
