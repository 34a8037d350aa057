// The space on the disk of a node. A leader whose disk is full keeps the lead and confirms nothing: dqlite does not notice.

import Glibc
@_spi(Node) import RowanCluster
@_spi(Node) import RowanClusterTLS
import Synchronization

/// Watches the space on the disk of a node, and has another node lead while there is too little.
final class DiskWatch: Sendable {
    private let folder: String
    private let reserve: UInt64
    private let available: Atomic<UInt64>

    /// - Parameters:
    ///   - folder: the node's folder.
    ///   - reserve: the number of bytes that should be left.
    init(folder: String, reserve: UInt64) {
        self.folder = folder
        self.reserve = reserve
        available = Atomic(.max)
        measure()
    }

    /// The last measurement.
    var space: DiskSpace { DiskSpace(available: available.load(ordering: .relaxed), reserve: reserve) }

    private func measure() {
        var status = statvfs()
        // A disk that can't be asked is not known to be full.
        guard statvfs(folder, &status) == 0 else { return }
        let (bytes, isLarger) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        available.store(isLarger ? .max : bytes, ordering: .relaxed)
    }

    /// - Throws: a `Failure` without space for the files that dqlite creates at its start, which would end the node.
    func checkSpaceToStart() throws(Failure) {
        let needed = UInt64(32 << 20)
        guard space.available < needed else { return }
        throw Failure(
            "the disk of \(folder) has \(space.available >> 20) MB left, and a node needs \(needed >> 20) MB to start")
    }

    /// Measures every second, until a signal arrives. Also says if changed certificates can't be read.
    func run(_ node: ClusterAdministration, _ tls: ClusterTLS?, until signals: EndSignals) {
        var reported: String?
        var certificateProblem: String?
        var wasShort = false
        while !signals.wait(milliseconds: 1000) {
            measure()
            if let tls, case let problem = tls.renewalProblem(), problem != certificateProblem {
                certificateProblem = problem
                if let problem { Log.write(.error, "certificate-not-read", ["error": problem]) }
            }
            let space = space
            guard space.isShort else {
                if wasShort { Log.write(.info, "disk-has-space", fields(space)) }
                (wasShort, reported) = (false, nil)
                continue
            }
            if !wasShort { Log.write(.warning, "disk-is-short", fields(space)) }
            wasShort = true
            do {
                if try node.handOver(needsSpace: true) { Log.write(.warning, "handed-over", fields(space)) }
                reported = nil
            } catch {
                // It remains the leader until another voter has space and responds.
                if reported != error.description { Log.write(.error, "not-handed-over", ["error": error.description]) }
                reported = error.description
            }
        }
    }

    private func fields(_ space: DiskSpace) -> KeyValuePairs<String, String> {
        ["available": "\(space.available)", "reserve": "\(space.reserve)", "data": folder]
    }
}
