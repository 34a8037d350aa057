// The text form of addresses.

import Rowan
import RowanCluster
import Testing

@Suite struct NodeAddressTests {
    @Test func parts() throws {
        let name = try NodeAddress("node-1.internal:9001")
        #expect(name.host == "node-1.internal" && name.port == 9001)
        let v6 = try NodeAddress("[::1]:65535")
        #expect(v6.host == "::1" && v6.port == 65535)
        #expect(try NodeAddress("127.0.0.1:1") == NodeAddress("127.0.0.1:01"))
    }

    @Test(arguments: ["127.0.0.1:9001", "[::1]:9001", "[fe80::1%eth0]:1", "node-1.internal:65535", "a_b:1"])
    func addressesKeepTheirText(_ text: String) throws {
        #expect(try NodeAddress(text).description == text)
    }

    @Test(arguments: [
        ("", "it has no port"),
        ("localhost", "it has no port"),
        ("localhost:", "the port is not a number between 1 and 65535"),
        ("localhost:0", "the port is not a number between 1 and 65535"),
        ("localhost:65536", "the port is not a number between 1 and 65535"),
        ("localhost:+1", "the port is not a number between 1 and 65535"),
        ("localhost:١", "the port is not a number between 1 and 65535"),
        ("localhost:9001 ", "the port is not a number between 1 and 65535"),
        (":9001", "its host is no IP address and no name"),
        ("a b:9001", "its host is no IP address and no name"),
        ("a\0:9001", "its host is no IP address and no name"),
        ("http://a:9001", "an IPv6 address needs brackets"),
        ("::1:9001", "an IPv6 address needs brackets"),
        ("[]:9001", "there is no IPv6 address between the brackets"),
        ("[127.0.0.1]:9001", "there is no IPv6 address between the brackets"),
        ("[::1%]:9001", "there is no IPv6 address between the brackets"),
        ("[::1:9001", "an IPv6 address needs brackets"),
    ])
    func refusals(_ text: String, _ reason: String) {
        let error = #expect(throws: DatabaseError.self) { try NodeAddress(text) }
        #expect(error?.resultCode == .SQLITE_MISUSE)
        #expect(
            error?.message
                == "\"\(text)\" is not the address of a node: \(reason). "
                + "Write \"host:port\", for example \"127.0.0.1:9001\" or \"[::1]:9001\"")
    }

    @Test func longTextsAreNotRepeated() {
        let error = #expect(throws: DatabaseError.self) {
            try NodeAddress(String(repeating: "a", count: 10_000) + ":1")
        }
        #expect((error?.message?.utf8.count ?? 0) < 300)
    }
}
