// From addresses to pages.

import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Rowan
import RowanCommands
import RowanPictures

/// Answers all requests.
struct Pages: HTTPResponder {
    typealias Context = BasicRequestContext

    let inspector: Inspector
    var file: InspectedFile { inspector.file }
    /// The number of commits before the request.
    private var commit = 0

    init(inspector: Inspector) { self.inspector = inspector }

    func respond(to request: Request, context: Context) async throws -> Response {
        var pages = self
        pages.commit = inspector.feed.commitCount
        var response = await pages.answer(request)
        for (name, value) in Gate.headers { response.headers[name] = value }
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        // The body of an answer to HEAD is not sent.
        if request.method == .head { response.body = .init() }
        return response
    }

    private func answer(_ request: Request) async -> Response {
        if let refusal = inspector.gate.refusal(of: request) { return refusal }
        do {
            return try await page(Address(request), request)
        } catch let error as HTTPError {
            return await problem(error.status, error.body ?? "\(error.status.reasonPhrase)")
        } catch let failure as Failure {
            return await problem(failure.exitCode == 2 ? .badRequest : .gone, failure.message)
        } catch is PageError {
            return await problem(.badRequest, "The start of the page is not valid in this order.")
        } catch let error as DatabaseError {
            return await problem(.badRequest, Self.sentence(error))
        } catch {
            return await problem(.internalServerError, "\(error)")
        }
    }

    private func page(_ address: Address, _ request: Request) async throws -> Response {
        switch (request.method, address.path.first ?? "", address.path.count) {
        case (.post, "query", 2) where address.path[1] == "forget": return try await forget(request)
        case (.post, _, _): throw HTTPError(.methodNotAllowed, message: "This address only answers GET.")
        case (_, "", _): return try await home()
        case (_, "tables", 1):
            return respond(Layout(title: "Tables", body: ""), try await file.read(TableShape.names))
        case (_, "inspect.css", 1):
            return Self.resource("text/css; charset=utf-8", PackageResources.inspect_css, Array(Picture.css.text.utf8))
        case (_, "inspect.js", 1): return Self.resource("text/javascript; charset=utf-8", PackageResources.inspect_js)
        case (_, "icon.svg", 1): return Self.resource("image/svg+xml", PackageResources.icon_svg)
        case (_, "live", 1): return live(request)
        case (_, "table", 2): return try await table(address)
        case (_, "table", 3): return try await part(of: address, request)
        case (_, "query", 1): return try await query(address)
        case (_, "query", 2):
            guard let format = Download.Format(rawValue: address.path[1]), let sql = address["sql"] else { break }
            return try await Download(format: format, name: "query", sql: SQL(sql: sql), text: .query).response(
                file, request)
        case (_, "diagram", 1): return try await diagram()
        case (_, "space", 1): return try await space()
        default: break
        }
        throw HTTPError(.notFound, message: "There is no such page.")
    }

    /// What is shown instead of a page.
    private func problem(_ status: HTTPResponse.Status, _ sentence: String) async -> Response {
        let body: Markup = "<h1>\(status.reasonPhrase)</h1><p class=\"problem\" role=\"alert\">\(sentence)</p>"
        // The tables can't be listed if the file is the problem.
        let names = try? await file.read(TableShape.names)
        return respond(Layout(title: status.reasonPhrase, body: body), names, status)
    }

    static func sentence(_ error: DatabaseError) -> String {
        switch error.resultCode {
        case .SQLITE_MISUSE where error.message?.hasPrefix("multiple statements") ?? false:
            "Run one statement at a time."
        case .SQLITE_READONLY where error.extendedResultCode == .SQLITE_READONLY:
            "This page only reads, and the statement writes."
        case .SQLITE_ERROR where error.message == "too many columns in result set":
            "SQLite has at most 2,000 columns in a result, which this one exceeds: query some of the columns."
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: "The file is damaged: run rowan doctor. (\(error.message ?? "\(error)"))"
        case .SQLITE_BUSY, .SQLITE_LOCKED: "Another program has locked the file: try again when it has finished."
        default: error.sentence(arguments: "write values instead of arguments such as :name")
        }
    }

    func respond(
        _ layout: Layout, _ names: (tables: [String], views: [String])?, _ status: HTTPResponse.Status = .ok
    ) -> Response {
        Response(
            status: status, headers: [.contentType: "text/html; charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(string: layout.page(file.name, names, commit: commit).text)))
    }

    private static func resource(_ type: String, _ parts: [UInt8]...) -> Response {
        Response(
            status: .ok, headers: [.contentType: type],
            body: .init(byteBuffer: ByteBuffer(bytes: parts.joined())))
    }

    private func live(_ request: Request) -> Response {
        let feed = inspector.feed
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream; charset=utf-8"],
            body: ResponseBody { writer in
                // A closed page cancels the loop.
                try await request.body.consumeWithCancellationOnInboundClose { _ in try await feed.write(to: &writer) }
                try await writer.finish(nil)
            })
    }

    private func forget(_ request: Request) async throws -> Response {
        let body: ByteBuffer
        do { body = try await request.body.collect(upTo: 4_096) } catch is NIOTooManyBytesError {
            throw HTTPError(.contentTooLarge, message: "The form is too large.")
        }
        let parameters = Address.parameters(String(buffer: body))
        guard inspector.gate.accepts(form: parameters.first { $0.name == "form" }?.value) else {
            throw HTTPError(.forbidden, message: "The form is not from this page: load the page again.")
        }
        inspector.history.clear()
        return Response(status: .seeOther, headers: [.location: "/query"])
    }
}
