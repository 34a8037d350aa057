// The trace of the task that enqueues a job, which the job continues.

import Foundation
import Tracing

enum TraceContext {
    /// A context as JSON; nil without one.
    static func stored(_ context: ServiceContext?, _ tracer: any Tracer) -> String? {
        guard let context, !context.isEmpty else { return nil }
        var carrier: [String: String] = [:]
        tracer.inject(context, into: &carrier, using: Carrier())
        // A dictionary of texts is encoded without errors.
        guard !carrier.isEmpty, let data = try? JSONEncoder().encode(carrier) else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    /// The context of a stored job.
    static func context(_ stored: String?, _ tracer: any Tracer) -> ServiceContext {
        var context = ServiceContext.topLevel
        // A context that can't be decoded is not worth an error: the job has a trace of its own.
        guard let stored, let carrier = try? JSONDecoder().decode([String: String].self, from: Data(stored.utf8))
        else { return context }
        tracer.extract(carrier, into: &context, using: Carrier())
        return context
    }

    private struct Carrier: Injector, Extractor {
        func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) { carrier[key] = value }
        func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }
    }
}
