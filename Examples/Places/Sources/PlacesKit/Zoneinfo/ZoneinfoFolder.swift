import Foundation

/// A folder with the two tables of the tz database that are imported.
public struct ZoneinfoFolder: Sendable {
    public let path: String

    public init(path: String) {
        self.path = path
    }

    public var zonesPath: String { path + "/zone1970.tab" }
    public var countriesPath: String { path + "/iso3166.tab" }

    /// The system's folder, or the copy in this package if the system has none.
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
