extension Fixture.Table {
    /// The order of runners begins with a column that may be NULL.
    static let runnerTable = """
        CREATE TABLE runner (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL,
            team TEXT NOT NULL,
            score INTEGER);
        CREATE INDEX runner_on_ranking ON runner(score DESC, id);
        """

    /// Three runners with each score, and every twentieth runner without one.
    static func runnerFilling(_ rows: Int) -> String {
        """
        INSERT INTO runner
        \(numbers(rows))
        SELECT i, 'Runner ' || i, CASE i % 3 WHEN 0 THEN 'Reds' WHEN 1 THEN 'Blues' ELSE 'Greens' END,
            CASE WHEN i % 20 THEN i * 7919 % 300007 END
        FROM n;
        """
    }
}
