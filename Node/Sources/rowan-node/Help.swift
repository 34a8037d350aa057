// The text of --help.

enum Help {
    static let text = """
        Runs one node of a cluster: a replicated SQLite, for the library RowanCluster.

            rowan-node --id 1 --address 127.0.0.1:9001 --data node1
            rowan-node --id 2 --address 127.0.0.1:9002 --data node2 --join 127.0.0.1:9001
            rowan-node --id 3 --address 127.0.0.1:9003 --data node3 --join 127.0.0.1:9001

        It prints `ready ADDRESS` when it is a member of its cluster and accepts connections. SIGTERM and SIGINT end it:
        if it leads, it first has another voter lead.

          --id NUMBER                its number in the cluster, for ever. That of a cluster's first node is 1
          --address HOST:PORT        where the other nodes and the clients reach it, for ever
          --data FOLDER              its log and its snapshots. It is created if it is missing
          --join HOST:PORT,...       members of the cluster that it joins. Without it, a new node with id 1 starts a
                                     cluster of its own. A node that is a member already ignores it
          --role ROLE                of a node that joins: voter (it votes, and has the data; the default), standby (it
                                     has the data) or spare (it has none)
          --bind HOST:PORT           where it listens, if that isn't the address: for example 0.0.0.0:9001
          --trusted-network          all who reach the address may read and write everything: there is neither
                                     authentication nor encryption. Needed for addresses other than 127.0.0.1
          --latency MILLISECONDS     of the network: without a leader for about 15 times as long, nodes elect one. The
                                     default is 20. All nodes need the same
          --failure-domain NUMBER    the same number for all nodes that fail together
          --snapshot-threshold N     it takes a snapshot after so many entries of the log (the default is 1024)
          --snapshot-trailing N      it keeps so many entries behind a snapshot (the default is 8192)
          --statement-limit SECONDS  how long a statement may run without a row before it is interrupted. The default is 5.
                                     While a statement runs, the node answers nobody

        rowan-node status --cluster HOST:PORT,...
          The members of a cluster: id, address, role, and which one leads.

        rowan-node remove --cluster HOST:PORT,... --id NUMBER
          Removes a node from its cluster. It need not run.

        rowan-node recover --data FOLDER --id NUMBER --address HOST:PORT
          After the majority of the nodes is lost for ever: makes the node in FOLDER the only member of its cluster.
          Commits that reached the lost nodes only are lost. Run it once, on one node, while no node runs. Then start
          it, and have nodes with other ids and empty folders join.

        rowan-node --help, rowan-node --version
        """
}
