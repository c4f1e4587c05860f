package main

import (
	"database/sql"

	"github.com/lib/pq"
)

const claim = "SELECT id, token, payload, payload_raw FROM queue_claim($1, lease_seconds => 30)"

// work claims messages one by one, and completes or fails each.
func work(db *sql.DB, notices <-chan *pq.Notification, queue string) error {
	for {
		var id, token string
		var payload, raw []byte
		err := db.QueryRow(claim, queue).Scan(&id, &token, &payload, &raw)
		if err == sql.ErrNoRows {
			pause(notices)
			continue
		} else if err != nil {
			return err
		}
		stop := renew(db, id, token)
		if failure := handle(payload, raw); failure != nil {
			_, err = db.Exec("SELECT queue_fail($1, $2, $3)", id, token, reason(failure))
		} else {
			_, err = db.Exec("SELECT queue_complete(ARRAY[$1::bigint], $2)", id, token)
		}
		if stop(); err != nil {
			return err
		}
	}
}
