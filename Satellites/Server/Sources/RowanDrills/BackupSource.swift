// The newest of the backup files.

import Foundation
import Rowan

struct BackupSource: DrillSource {
    let folder: BackupFolder

    func restore(to path: String, maximumAge: Duration?) async throws -> RestoredState {
        guard let backup = try folder.newest() else {
            throw RestoreDrillError(.noBackup, "\(folder.path) contains no file *.sqlite")
        }
        guard backup.date.timeIntervalSinceNow < 3_600 else {
            throw RestoreDrillError(
                .tooOld, "the newest backup, \(backup.path), is from the future: \(backup.date). Its age is unknown")
        }
        let age = Duration.seconds(max(0, Date().timeIntervalSince(backup.date)))
        guard age <= maximumAge ?? .seconds(25 * 3_600) else {
            throw RestoreDrillError(.tooOld, "the newest backup, \(backup.path), is from \(backup.date)")
        }
        let start = ContinuousClock.now
        // What was not yet written to the backup when it was made belongs to it.
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: backup.path + suffix) {
            try FileManager.default.copyItem(atPath: backup.path + suffix, toPath: path + suffix)
        }
        return RestoredState(age: age, duration: start.duration(to: .now), digest: backup.digest)
    }
}
