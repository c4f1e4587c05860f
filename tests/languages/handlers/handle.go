package main

import (
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"time"
)

var own, _ = sql.Open("postgres", os.Getenv("DATABASE_URL"))

func handle(payload, raw []byte) error {
	var asked struct {
		N       *int
		Do      string
		Seconds float64
	}
	if payload != nil {
		if err := json.Unmarshal(payload, &asked); err != nil {
			return err
		}
	}
	if _, err := own.Exec("INSERT INTO handled (n, raw) VALUES ($1, $2) ON CONFLICT DO NOTHING", asked.N, raw); err != nil {
		return err
	}
	time.Sleep(time.Duration(asked.Seconds * float64(time.Second)))
	if asked.Do == "die" {
		os.Exit(9)
	}
	if asked.Do == "fail in bytes" {
		return errors.New("a\x00b\xff")
	}
	if asked.Do == "fail" {
		return errors.New("it is no order")
	}
	return nil
}
