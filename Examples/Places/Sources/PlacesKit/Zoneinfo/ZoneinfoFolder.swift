import Foundation

/// A folder that holds the two tables of the tz database that the import reads.
public struct ZoneinfoFolder: Sendable {
    public let path: String

    public init(path: String) {
        self.path = path
    }

    public var zonesPath: String { path + "/zone1970.tab" }
    public var countriesPath: String { path + "/iso3166.tab" }

    /// The folder of the system, or the copy in this package where the system has none.
    public static var standard: ZoneinfoFolder {
        system.isComplete ? system : bundled
    }

    public static let system = ZoneinfoFolder(path: "/usr/share/zoneinfo")

    public static var bundled: ZoneinfoFolder {
        ZoneinfoFolder(path: Bundle.module.resourcePath ?? Bundle.module.bundlePath)
    }

    private var isComplete: Bool {
        FileManager.default.isReadableFile(atPath: zonesPath)
            && FileManager.default.isReadableFile(atPath: countriesPath)
    }
}
