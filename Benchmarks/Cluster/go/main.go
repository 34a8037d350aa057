// The workloads of cluster-bench with the Go driver of dqlite, on nodes that cluster-bench has started.
//
//	go-bench small|full ADDRESS...
//
// It prints a JSON object per workload: its operations in nanoseconds, and the time that they took together.
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"sync"
	"time"

	"github.com/canonical/go-dqlite/client"
	"github.com/canonical/go-dqlite/driver"
)

type samples struct {
	Workload         string  `json:"workload"`
	RowsPerOperation int     `json:"rowsPerOperation"`
	Nanoseconds      []int64 `json:"nanoseconds"`
	Duration         int64   `json:"duration"`
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const insertion = "INSERT INTO player (name, score, rating) VALUES (?, ?, ?)"

func values(n int) (string, int, float64) { return fmt.Sprintf("player %d", n), n, float64(n) / 3 }

// Runs the operation on several clients, each of which has a connection of its own.
func measure(workload string, rows, clients, count int, db *sql.DB, operation func(*sql.Conn, int) error) {
	context := context.Background()
	result := samples{Workload: workload, RowsPerOperation: rows}
	connections := make([]*sql.Conn, clients)
	for i := range connections {
		connection, err := db.Conn(context)
		check(err)
		defer connection.Close()
		check(retry(func() error { return operation(connection, i) }))
		connections[i] = connection
	}
	var lock sync.Mutex
	var group sync.WaitGroup
	begin := time.Now()
	for i, connection := range connections {
		group.Add(1)
		go func(first int, connection *sql.Conn) {
			defer group.Done()
			times := make([]int64, 0, count)
			for n := 0; n < count; n++ {
				start := time.Now()
				check(retry(func() error { return operation(connection, first*count+n) }))
				times = append(times, time.Since(start).Nanoseconds())
			}
			lock.Lock()
			defer lock.Unlock()
			result.Nanoseconds = append(result.Nanoseconds, times...)
		}(i, connection)
	}
	group.Wait()
	result.Duration = time.Since(begin).Nanoseconds()
	line, err := json.Marshal(result)
	check(err)
	fmt.Println(string(line))
}

// Retries while another client writes, with growing pauses.
func retry(operation func() error) error {
	pause := time.Millisecond
	for {
		err := operation()
		if failure, ok := err.(driver.Error); !ok || failure.Code&0xff != driver.ErrBusy {
			return err
		}
		time.Sleep(pause/2 + time.Duration(rand.Int63n(int64(pause/2))))
		if pause < 50*time.Millisecond {
			pause *= 2
		}
	}
}

func insert(c *sql.Conn, n int) error {
	name, score, rating := values(n)
	_, err := c.ExecContext(context.Background(), insertion, name, score, rating)
	return err
}

func insertHundred(c *sql.Conn, first int) error {
	background := context.Background()
	// Otherwise, two transactions that have read could not both continue.
	if _, err := c.ExecContext(background, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err := func() error {
		statement, err := c.PrepareContext(background, insertion)
		if err != nil {
			return err
		}
		defer statement.Close()
		for n := first; n < first+100; n++ {
			name, score, rating := values(n)
			if _, err := statement.ExecContext(background, name, score, rating); err != nil {
				return err
			}
		}
		_, err = c.ExecContext(background, "COMMIT")
		return err
	}()
	if err != nil {
		c.ExecContext(background, "ROLLBACK")
	}
	return err
}

// A read of Rowan is a transaction, whose statements see the same state.
func read(c *sql.Conn, n int) error {
	tx, err := c.BeginTx(context.Background(), nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := one(tx.QueryRow, n); err != nil {
		return err
	}
	return tx.Commit()
}

func selectAlone(c *sql.Conn, n int) error {
	return one(func(query string, args ...any) *sql.Row {
		return c.QueryRowContext(context.Background(), query, args...)
	}, n)
}

func one(query func(string, ...any) *sql.Row, n int) error {
	var id int64
	var name string
	var score int
	var rating float64
	row := query("SELECT id, name, score, rating FROM player WHERE id = ?", n%1000+1)
	return row.Scan(&id, &name, &score, &rating)
}

func scan(c *sql.Conn, _ int) error {
	rows, err := c.QueryContext(context.Background(), "SELECT id, name, score, rating FROM player")
	if err != nil {
		return err
	}
	defer rows.Close()
	type player struct {
		id     int64
		name   string
		score  int
		rating float64
	}
	var players []player
	for rows.Next() {
		var p player
		if err := rows.Scan(&p.id, &p.name, &p.score, &p.rating); err != nil {
			return err
		}
		players = append(players, p)
	}
	return rows.Err()
}

func main() {
	isSmall := os.Args[1] == "small"
	count := func(small, full int) int {
		if isSmall {
			return small
		}
		return full
	}
	store := client.NewInmemNodeStore()
	var nodes []client.NodeInfo
	for i, address := range os.Args[2:] {
		nodes = append(nodes, client.NodeInfo{ID: uint64(i + 1), Address: address})
	}
	check(store.Set(context.Background(), nodes))
	dqlite, err := driver.New(store)
	check(err)
	sql.Register("dqlite", dqlite)
	db, err := sql.Open("dqlite", "go-bench")
	check(err)
	_, err = db.Exec("CREATE TABLE player (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, " +
		"score INTEGER NOT NULL, rating DOUBLE NOT NULL)")
	check(err)
	measure("cluster-insert", 1, 1, count(50, 1000), db, insert)
	measure("cluster-insert-100", 100, 1, count(5, 100), db, insertHundred)
	// The rows of the other workloads.
	tx, err := db.Begin()
	check(err)
	for n := 0; n < count(2_000, 200_000); n++ {
		name, score, rating := values(n)
		_, err = tx.Exec(insertion, name, score, rating)
		check(err)
	}
	check(tx.Commit())
	measure("cluster-read", 1, 1, count(100, 10_000), db, read)
	measure("cluster-select", 1, 1, count(100, 10_000), db, selectAlone)
	var rows int
	check(db.QueryRow("SELECT COUNT(*) FROM player").Scan(&rows))
	measure("cluster-scan", rows, 1, count(1, 7), db, scan)
	for _, clients := range []int{8, 64} {
		suffix := fmt.Sprintf("-%d-clients", clients)
		measure("cluster-insert"+suffix, 1, clients, count(2, 1_600/clients), db, insert)
		measure("cluster-insert-100"+suffix, 100, clients, count(1, 320/clients), db, insertHundred)
		measure("cluster-read"+suffix, 1, clients, count(10, 16_000/clients), db, read)
		measure("cluster-select"+suffix, 1, clients, count(10, 16_000/clients), db, selectAlone)
	}
}
