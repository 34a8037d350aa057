// A page for operators: the queues, and failed jobs with what to do about them. A real server asks who they are.

import Foundation
import HTTPTypes
import Hummingbird
import RowanJobs
import RowanRecords

struct JobsPage: Sendable {
    let database: any DatabaseWriter
    let jobs: Jobs

    func add(to router: Router<BasicRequestContext>) {
        let group = router.group("jobs")
        group.get(use: page)
        group.post(":id/retry") { request, context in
            try await change(request, context) { id, db in try jobs.retry(id, in: db) }
        }
        group.post(":id/discard") { request, context in
            try await change(request, context) { id, db in try jobs.discard(id, in: db) }
        }
    }

    /// GET /jobs
    @Sendable private func page(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
        let (queues, failed) = try await database.read { db in
            (try jobs.queues(in: db), try jobs.failed(in: db, limit: 50))
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/html; charset=utf-8",
                .contentSecurityPolicy:
                    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: html(queues, failed))))
    }

    /// POST /jobs/1/retry
    private func change(
        _ request: Request, _ context: BasicRequestContext,
        _ body: @escaping @Sendable (JobID, Database) throws -> Bool
    ) async throws -> Response {
        // Browsers say whether the form belongs to this page.
        if let site = request.headers[.secFetchSite], site != "same-origin" { throw HTTPError(.forbidden) }
        let id = JobID(rawValue: try context.parameters.require("id", as: Int64.self))
        guard try await database.write({ db in try body(id, db) }) else {
            throw HTTPError(.notFound, message: "there is no failed job \(id)")
        }
        return .redirect(to: "/jobs", type: .normal)
    }

    private func html(_ queues: [JobQueueStatus], _ failed: [FailedJob]) -> String {
        let queueRows = queues.map { queue in
            row([
                queue.name, "\(queue.ready)", "\(queue.running)", "\(queue.waiting)", "\(queue.failed)",
                queue.oldestAge.map { $0.formatted(.units(allowed: [.hours, .minutes, .seconds], width: .narrow)) }
                    ?? "",
            ])
        }
        let failedRows = failed.map { job in
            row(
                [job.id.description, job.kind, job.payload, job.error, job.failedAt.formatted(.iso8601)],
                """
                <form method="post" action="/jobs/\(job.id)/retry"><button>Retry</button></form>
                <form method="post" action="/jobs/\(job.id)/discard"><button>Discard</button></form>
                """)
        }
        return """
            <!DOCTYPE html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>Jobs</title>
            <style>
              body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
              table { width: 100%; border-collapse: collapse }
              th, td { border-bottom: 1px solid #ddd; padding: .25rem .5rem .25rem 0; text-align: left; vertical-align: top }
              td { overflow-wrap: anywhere }
              form { display: inline }
            </style>
            <h1>Jobs</h1>
            \(table("Queues", ["Queue", "Ready", "Running", "Waiting", "Failed", "Oldest"], queueRows))
            \(table("Failed jobs", ["Id", "Kind", "Values", "Error", "Failed", "Actions"], failedRows))
            </html>
            """
    }

    private func table(_ title: String, _ names: [String], _ rows: [String]) -> String {
        let head = names.map { "<th scope=\"col\">\($0)</th>" }.joined()
        return """
            <h2>\(title)</h2>
            <table aria-label="\(title)"><thead><tr>\(head)</tr></thead><tbody>\(rows.joined(separator: "\n"))</tbody></table>
            """
    }

    private func row(_ values: [String], _ actions: String? = nil) -> String {
        let cells = values.map { "<td>\(escaped($0))</td>" } + (actions.map { ["<td>\($0)</td>"] } ?? [])
        return "<tr>\(cells.joined())</tr>"
    }

    private func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}

extension HTTPField.Name {
    fileprivate static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
