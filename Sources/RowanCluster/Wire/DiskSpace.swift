// The space on the disk of a node, which rowan-node reports itself: dqlite does not know it.

/// The space that is left on the disk of a node: see ``ClusterStatus/Node/diskSpace``.
///
/// Article: <doc:PastOneMachine>.
public struct DiskSpace: Sendable, Hashable {
    /// The number of bytes that the node can still write.
    public let available: UInt64
    /// The number of bytes that should be left: the node's `--disk-reserve`.
    public let reserve: UInt64

    /// Whether less is left than the reserve. Such a node does not lead while another one can.
    public var isShort: Bool { available < reserve }

    /// The space that a node reports.
    @_spi(Node) public init(available: UInt64, reserve: UInt64) {
        (self.available, self.reserve) = (available, reserve)
    }
}
