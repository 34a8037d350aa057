// The Model Context Protocol: requests and responses in JSON, one per line.
// Source: <https://modelcontextprotocol.io/specification/2025-06-18>

import Foundation
import Rowan

/// A request that can't be answered. Source: <https://www.jsonrpc.org/specification#error_object>
private struct RPCError: Error {
    let code: Int
    let message: String
}

struct MCPServer {
    let tools: DatabaseTools

    private static let versions = ["2025-06-18", "2025-03-26", "2024-11-05"]

    /// The response to a message; nil for a notification.
    func respond(to line: String) -> String? {
        guard let message = try? JSONSerialization.jsonObject(with: Data(line.utf8)) else {  // reported below
            return Self.encoded([
                "jsonrpc": "2.0", "id": NSNull(), "error": ["code": -32700, "message": "the line is not valid JSON"],
            ])
        }
        guard let request = message as? [String: Any], let method = request["method"] as? String else {
            // A response to a request that this server has not sent.
            if let request = message as? [String: Any], request["result"] != nil || request["error"] != nil {
                return nil
            }
            return Self.encoded([
                "jsonrpc": "2.0", "id": NSNull(), "error": ["code": -32600, "message": "the message is not a request"],
            ])
        }
        guard let id = request["id"], !(id is NSNull) else { return nil }
        do {
            let result = try result(of: method, request["params"] as? [String: Any] ?? [:])
            return Self.encoded(["jsonrpc": "2.0", "id": id, "result": result])
        } catch {
            let error = error as? RPCError ?? RPCError(code: -32603, message: "\(error)")
            return Self.encoded(["jsonrpc": "2.0", "id": id, "error": ["code": error.code, "message": error.message]])
        }
    }

    private func result(of method: String, _ parameters: [String: Any]) throws -> [String: Any] {
        switch method {
        case "initialize":
            let wanted = parameters["protocolVersion"] as? String ?? ""
            return [
                "protocolVersion": Self.versions.contains(wanted) ? wanted : Self.versions[0],
                "capabilities": ["tools": [String: Any]()], "serverInfo": ["name": "rowan", "version": "1"],
                "instructions":
                    "Reads a SQLite database. Begin with list_tables, then describe_table, before you write a query.",
            ]
        case "ping": return [:]
        case "tools/list": return ["tools": DatabaseTools.descriptions]
        case "tools/call":
            guard let name = parameters["name"] as? String, DatabaseTools.names.contains(name) else {
                throw RPCError(
                    code: -32602,
                    message: "there is no such tool: use one of \(DatabaseTools.names.joined(separator: ", "))")
            }
            do {
                let text = try tools.call(name, parameters["arguments"] as? [String: Any] ?? [:])
                return ["content": [["type": "text", "text": text]], "isError": false]
            } catch {
                // The assistant can correct its arguments.
                let text =
                    (error as? Failure)?.message
                    ?? (error as? DatabaseError)?.sentence(arguments: "pass them in parameters") ?? "\(error)"
                return ["content": [["type": "text", "text": text]], "isError": true]
            }
        default: throw RPCError(code: -32601, message: "there is no method \(method)")
        }
    }

    private static func encoded(_ response: [String: Any]) -> String? {
        // Invariant: the response contains only values of JSON.
        let data = try? JSONSerialization.data(
            withJSONObject: response, options: [.sortedKeys, .withoutEscapingSlashes])
        return data.map { String(decoding: $0, as: UTF8.self) }
    }
}
