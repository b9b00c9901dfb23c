package hook

import (
	"bytes"
	"errors"
	"io"
	"strconv"
)

// HTTP/1.1 by hand: net/http costs a third of a hook call's time in package
// initialisation alone.

const maxAnswer = 256 << 10

var (
	errRefused = errors.New("the hub refused") // a 4xx: it would do so again
	errAnswer  = errors.New("not an answer")
)

// post writes one request in one piece.
func post(w io.Writer, path string, body []byte) error {
	request := make([]byte, 0, 128+len(body))
	request = append(request, "POST "+path+" HTTP/1.1\r\nHost: turnpost\r\nContent-Type: application/json\r\nContent-Length: "...)
	request = strconv.AppendInt(request, int64(len(body)), 10)
	request = append(request, "\r\n\r\n"...)
	request = append(request, body...)
	_, err := w.Write(request)
	return err
}

// readAnswer returns the body of a 2xx.
func readAnswer(r io.Reader) ([]byte, error) {
	in := &answerReader{r: r, buf: make([]byte, 0, 4096)}
	status, err := in.line()
	if err != nil {
		return nil, err
	}
	code, ok := bytes.CutPrefix(status, []byte("HTTP/1.1 "))
	if !ok || len(code) < 3 {
		return nil, errAnswer
	}
	class := code[0]
	length, chunked := 0, false
	for {
		line, err := in.line()
		if err != nil {
			return nil, err
		}
		if len(line) == 0 {
			break
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimSpace(value)
		switch {
		case bytes.EqualFold(name, []byte("Content-Length")):
			if length, err = strconv.Atoi(string(value)); err != nil || length < 0 {
				return nil, errAnswer
			}
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			chunked = bytes.EqualFold(value, []byte("chunked"))
		}
	}
	switch class {
	case '2':
	case '4':
		return nil, errRefused
	default:
		return nil, errAnswer
	}
	if chunked {
		return in.chunks()
	}
	return in.bytes(length)
}

// answerReader takes an answer apart; buf grows to hold all of it.
type answerReader struct {
	r   io.Reader
	buf []byte
	pos int
}

func (a *answerReader) more() error {
	if len(a.buf) >= maxAnswer {
		return errAnswer
	}
	if len(a.buf) == cap(a.buf) {
		a.buf = append(make([]byte, 0, 4*cap(a.buf)), a.buf...)
	}
	n, err := a.r.Read(a.buf[len(a.buf):cap(a.buf)])
	a.buf = a.buf[:len(a.buf)+n]
	if n > 0 {
		return nil
	}
	if err == nil {
		err = io.ErrNoProgress
	}
	return err
}

// line returns the next line without its end.
func (a *answerReader) line() ([]byte, error) {
	for {
		if end := bytes.IndexByte(a.buf[a.pos:], '\n'); end >= 0 {
			line := a.buf[a.pos : a.pos+end]
			a.pos += end + 1
			return bytes.TrimSuffix(line, []byte("\r")), nil
		}
		if err := a.more(); err != nil {
			return nil, err
		}
	}
}

func (a *answerReader) bytes(n int) ([]byte, error) {
	if n > maxAnswer {
		return nil, errAnswer
	}
	for len(a.buf)-a.pos < n {
		if err := a.more(); err != nil {
			return nil, err
		}
	}
	a.pos += n
	return a.buf[a.pos-n : a.pos], nil
}

// chunks reads a chunked body; the trailer stays unread, since nothing but our
// own request follows on this connection.
func (a *answerReader) chunks() ([]byte, error) {
	var body []byte
	for {
		size, err := a.line()
		if err != nil {
			return nil, err
		}
		n, err := strconv.ParseUint(string(size), 16, 20)
		if err != nil {
			return nil, errAnswer
		}
		if n == 0 {
			return body, nil
		}
		chunk, err := a.bytes(int(n))
		if err != nil {
			return nil, err
		}
		body = append(body, chunk...)
		if _, err := a.line(); err != nil {
			return nil, err
		}
	}
}
