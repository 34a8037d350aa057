// rowan-node backup and rowan-node restore: a database of a running cluster as a file, and back.

import Glibc
@_spi(Node) import RowanCluster

struct BackupCommand {
    let cluster: ClusterAdministration
    let database: String
    let file: String
    let overwrites: Bool
    let source: ClusterBackup.Source

    init(_ words: some Sequence<String>) throws(Failure) {
        let arguments = try Arguments(
            words, options: Arguments.tlsOptions.union(["cluster", "database", "to"]),
            flags: ["overwrite", "from-leader", "without-leader"])
        cluster = try arguments.cluster()
        database = try arguments.required("database")
        file = try arguments.required("to")
        overwrites = arguments.has("overwrite")
        switch (arguments.has("from-leader"), arguments.has("without-leader")) {
        case (true, true): throw .usage("--from-leader and --without-leader exclude each other")
        case (true, false): source = .leader
        case (false, true): source = .anyNode
        case (false, false): source = .follower
        }
    }

    /// - Throws: a `Failure` if no node supplies the database or the file can't be written.
    func run() throws(Failure) {
        // A file that is too large for a limit of the system is an error instead of the end of the program.
        signal(SIGXFSZ, SIG_IGN)
        do throws(ClusterAdministrationError) {
            let result = try ClusterBackup(cluster, database: database)
                .write(to: file, overwrites: overwrites, from: source)
            let role =
                switch result.isLeader {
                case true?: "the leader "
                case false?: "the follower "
                case nil: ""
                }
            writeLine(
                "\(role)\(result.address) supplied \(database): \(result.byteCount) bytes in \(file)", to: STDOUT_FILENO
            )
        } catch {
            throw Failure("can't back up: \(error)")
        }
    }
}

struct RestoreCommand {
    let cluster: ClusterAdministration
    let database: String
    let file: String

    init(_ words: some Sequence<String>) throws(Failure) {
        let arguments = try Arguments(words, options: Arguments.tlsOptions.union(["cluster", "database", "from"]))
        cluster = try arguments.cluster()
        database = try arguments.required("database")
        file = try arguments.required("from")
    }

    /// - Throws: a `Failure` if the file can't be read, or the database of the cluster isn't empty.
    func run() throws(Failure) {
        do throws(ClusterAdministrationError) {
            let result = try ClusterRestore(cluster, database: database).run(from: file)
            writeLine(
                "restored \(database) and compared it with \(file): \(result.tableCount) tables, \(result.rowCount) rows",
                to: STDOUT_FILENO)
        } catch {
            throw Failure("can't restore: \(error)")
        }
    }
}
