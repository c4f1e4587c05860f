package main

import "log"

// handle is what you do with a message. An error fails it: the queue's policy says what comes next.
// raw holds the exact bytes where JSON cannot.
func handle(payload, raw []byte) error {
	log.Printf("handled %s %q", payload, raw)
	return nil
}
