// The text of --help.

enum Help {
    static let text = """
        Runs one node of a cluster: a replicated SQLite, for the library RowanCluster.

            rowan-node --id 1 --address 127.0.0.1:9001 --data node1 --start-new
            rowan-node --id 2 --address 127.0.0.1:9002 --data node2 --join 127.0.0.1:9001
            rowan-node --id 3 --address 127.0.0.1:9003 --data node3 --join 127.0.0.1:9001

        It prints `ready ADDRESS` to standard output when it is a member of its cluster and accepts connections, and events
        such as `level=info event=ready id=1` to standard error. SIGTERM and SIGINT end it: if it leads, it first has another
        voter lead.

          --id NUMBER                its number in the cluster, for ever. That of a cluster's first node is 1
          --address HOST:PORT        where the other nodes and the clients reach it, for ever
          --data FOLDER              its log and its snapshots. It is created if it is missing
          --join HOST:PORT,...       members of the cluster that it joins. A node that is a member already ignores it
          --start-new                starts a new cluster if the folder is empty, unless an address of --join responds.
                                     For the first node of a cluster only. A node that is a member already ignores it
          --role ROLE                of a node that joins: voter (it votes, and has the data; the default), standby (it
                                     has the data) or spare (it has none)
          --bind HOST:PORT           where it listens, if that isn't the address: for example 0.0.0.0:9001
          --certificate FILE, --key FILE, --ca FILE
                                     in PEM: its certificate, the key, and the certificate of the authority that has
                                     signed those of the other nodes and of the clients. All of them then speak TLS 1.3.
                                     The certificate is for the address. Changed files are read again. The commands
                                     below take the same options
          --trusted-network          all who reach the address may read and write everything: there is neither
                                     authentication nor encryption. Needed for addresses other than 127.0.0.1
                                     without a certificate
          --latency MILLISECONDS     of the network: without a leader for about 15 times as long, nodes elect one. The
                                     default is 20. All nodes need the same
          --failure-domain NUMBER    the same number for all nodes that fail together
          --snapshot-threshold N     it takes a snapshot after so many entries of the log (the default is 1024)
          --snapshot-trailing N      it keeps so many entries behind a snapshot (the default is 8192)
          --statement-limit SECONDS  how long a statement may run without a row before it is interrupted. The default is 5.
                                     While a statement runs, the node answers nobody
          --idle-transaction-limit SECONDS
                                     how long the client of a transaction may send nothing before the transaction is
                                     rolled back: others wait for it. The default is 5
          --disk-reserve MEGABYTES   while less is left on the disk of its folder, it lets another node lead. The default
                                     is 256
          --metrics HOST:PORT        where it serves /metrics (for Prometheus), /health and /ready with HTTP

        rowan-node status --cluster HOST:PORT,...
          The members of a cluster: id, address, role, which one leads, and which do not respond.
          --check           fails unless the cluster keeps working if one more voter fails

        rowan-node remove --cluster HOST:PORT,... --id NUMBER
          Removes a node from its cluster. It need not run.

        rowan-node recover --data FOLDER --id NUMBER --address HOST:PORT
          After the majority of the nodes is lost for ever: makes the node in FOLDER the only member of its cluster.
          Commits that reached the lost nodes only are lost. Run it once, on one node, while no node runs. Then start
          it, and have nodes with other ids and empty folders join.

        rowan-node backup --cluster HOST:PORT,... --database NAME --to FILE
          Copies a database of the cluster into FILE, from a node that does not lead if there is one. The copy contains
          all commits from before the command started. FILE appears when it is complete and checked.
          --overwrite       replaces an existing FILE
          --from-leader     takes the copy from the leader
          --without-leader  takes the copy from the first of the addresses that has one, even if the cluster has no
                            leader. It may lack the last commits

        rowan-node restore --cluster HOST:PORT,... --database NAME --from FILE
          Copies a database file into an empty database of the cluster, and compares the two.

        rowan-node --help, rowan-node --version
        """
}
