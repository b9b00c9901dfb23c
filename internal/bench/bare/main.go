// Command bare is the floor that the hook client is measured against: one POST
// over the hub's socket, and nothing else. It reads no JSON, keeps no budget and
// prints nothing.
package main

import (
	"net"
	"os"
	"strconv"
)

func main() {
	body := make([]byte, 1<<16)
	n, err := os.Stdin.Read(body)
	if err != nil {
		os.Exit(1)
	}
	conn, err := net.Dial("unix", os.Args[1])
	if err != nil {
		os.Exit(1)
	}
	head := "POST /v1/event HTTP/1.1\r\nHost: turnpost\r\nContent-Type: application/json\r\nContent-Length: " +
		strconv.Itoa(n) + "\r\n\r\n"
	if _, err := conn.Write(append([]byte(head), body[:n]...)); err != nil {
		os.Exit(1)
	}
	if _, err := conn.Read(body); err != nil {
		os.Exit(1)
	}
}
