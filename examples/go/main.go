// A worker in Go: go mod init worker && go get github.com/lib/pq && go run . QUEUE
//
// DATABASE_URL: as a member of the role dlq_consumer.
package main

import (
	"database/sql"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/lib/pq"
)

func main() {
	address := os.Getenv("DATABASE_URL")
	db, err := sql.Open("postgres", address)
	if err != nil {
		log.Fatal(err)
	}
	listener := pq.NewListener(address, time.Second, time.Minute, nil)
	if err := listener.Listen("message_queue"); err != nil {
		log.Fatal(err)
	}
	log.Fatal(work(db, listener.Notify, os.Args[1]))
}

// pause waits until something was sent, or came due.
func pause(notices <-chan *pq.Notification) {
	select {
	case <-notices:
	case <-time.After(2 * time.Second):
	}
}

// reason is "ErrorClass: message", in characters that PostgreSQL can store.
func reason(failure error) string {
	text := strings.TrimPrefix(fmt.Sprintf("%T: %v", failure, failure), "*")
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\x00", "\ufffd")
}

// renew keeps the lease of a message until you call what it returns.
func renew(db *sql.DB, id, token string) func() {
	ticker, done := time.NewTicker(10*time.Second), make(chan struct{})
	go func() {
		for {
			select {
			case <-ticker.C:
				db.Exec("SELECT queue_extend(ARRAY[$1::bigint], $2, 30)", id, token)
			case <-done:
				return
			}
		}
	}()
	return func() { ticker.Stop(); close(done) }
}
