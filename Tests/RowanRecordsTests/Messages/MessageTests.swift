// The compiler's plugin protocol: bytes in, bytes out.

import Foundation
@testable import RowanPluginMessages
import RowanRecordExpansion
import Testing

@Suite("The protocol of plugins")
struct MessageTests {
    private func frame(_ body: String) -> Data {
        withUnsafeBytes(of: UInt64(body.utf8.count).littleEndian) { Data($0) } + Data(body.utf8)
    }

    /// The bodies of the responses to the bytes.
    private func answers(to input: Data) throws -> [String] {
        let (requests, replies) = (Pipe(), Pipe())
        try requests.fileHandleForWriting.write(contentsOf: input)
        try requests.fileHandleForWriting.close()
        let channel = MessageChannel(input: requests.fileHandleForReading, output: replies.fileHandleForWriting)
        defer { try? replies.fileHandleForReading.close() }
        try channel.run(expand)
        try replies.fileHandleForWriting.close()
        var data = try replies.fileHandleForReading.readToEnd() ?? Data()
        var bodies: [String] = []
        while data.count >= 8 {
            let length = data.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
            bodies.append(String(decoding: data.dropFirst(8).prefix(length), as: UTF8.self))
            data = Data(data.dropFirst(8 + length))
        }
        return bodies
    }

    /// A JSON text as a comparable value.
    private func json(_ text: String) throws -> NSDictionary {
        try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary ?? [:]
    }

    @Test("The version of the plugin, regardless of the compiler's")
    func capability() throws {
        let bodies = try answers(
            to: frame(#"{"getCapability":{"capability":{"protocolVersion":99}}}"#) + frame(#"{"getCapability":{}}"#))
        #expect(bodies.count == 2)
        for body in bodies {
            #expect(
                try json(body) == json(#"{"getCapabilityResult":{"capability":{"protocolVersion":7,"features":[]}}}"#))
        }
    }

    @Test("An expansion with fields unknown to this plugin")
    func expansion() throws {
        let location = #""location":{"fileID":"A/a.swift","fileName":"/a.swift","offset":7,"line":1,"column":1}"#
        func piece(_ source: String) -> String { #"{"kind":"declaration",\#(location),"source":"\#(source)"}"# }
        let message = #"""
            {"expandAttachedMacro":{"macro":{"moduleName":"M","typeName":"RecordMacro","name":"Record"},
            "macroRole":"extension","discriminator":"x","attributeSyntax":\#(piece("@Record")),
            "declSyntax":\#(piece("struct A { var b: Int }")),"extendedTypeSyntax":\#(piece("A")),
            "conformanceListSyntax":\#(piece("struct P: FetchableRecord {}")),"lexicalContext":[],"newField":{"a":[1]}}}
            """#
        let body = try json(#require(try answers(to: frame(message)).first))
        let result = try #require(body["expandMacroResult"] as? NSDictionary)
        #expect(
            (result["expandedSource"] as? String)?.hasPrefix("nonisolated extension A: Rowan.FetchableRecord {\n")
                == true)
        #expect(result["diagnostics"] as? [NSDictionary] == [])
    }

    @Test("The response to an unknown message is an error that names both versions")
    func unknown() throws {
        let bodies = try answers(
            to: frame(#"{"getCapability":{"capability":{"protocolVersion":12}}}"#) + frame(#"{"sing":{"song":1}}"#)
                + frame("no JSON") + frame("{}"))
        #expect(bodies.count == 4)
        for (body, what) in zip(bodies.dropFirst(), ["the message 'sing'", "a message that", "the message ''"]) {
            #expect(body.contains("the compiler sent \(what)"))
            #expect(
                body.contains(
                    " and speaks version 12 of the plugin protocol, but Rowan's macros speak version 7: use a release "
                        + "of Rowan that is made for this compiler"))
        }
    }

    @Test("An input that ends too early or has an absurd length")
    func brokenInput() throws {
        #expect(try answers(to: Data()) == [])
        #expect(throws: MessageChannel.ChannelError.endsInMessage) { try answers(to: Data([1, 0, 0])) }
        #expect(throws: MessageChannel.ChannelError.endsInMessage) { try answers(to: frame("{}").dropLast()) }
        #expect(throws: MessageChannel.ChannelError.absurdLength(UInt64.max)) {
            try answers(to: Data(repeating: 255, count: 8))
        }
    }
}
