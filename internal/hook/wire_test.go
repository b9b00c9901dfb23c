package hook

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
)

func TestReadAnswer(t *testing.T) {
	head := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	for name, c := range map[string]struct {
		in, want string
		err      error
	}{
		"length":          {head + "Content-Length: 5\r\n\r\nhello+more", "hello", nil},
		"lower case":      {"HTTP/1.1 200 OK\ncontent-length:2\n\nhi", "hi", nil},
		"nothing":         {"HTTP/1.1 204 No Content\r\n\r\n", "", nil},
		"chunked":         {head + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n", "hello!", nil},
		"refused":         {"HTTP/1.1 400 Bad Request\r\nContent-Length: 1\r\n\r\nx", "", errRefused},
		"broken hub":      {"HTTP/1.1 500 Internal Server Error\r\n\r\n", "", errAnswer},
		"redirect":        {"HTTP/1.1 302 Found\r\nLocation: http://evil.example/\r\n\r\n", "", errAnswer},
		"other protocol":  {"SSH-2.0-x\r\n", "", errAnswer},
		"no status":       {"HTTP/1.1 \r\n\r\n", "", errAnswer},
		"bad length":      {head + "Content-Length: -1\r\n\r\n", "", errAnswer},
		"huge length":     {head + "Content-Length: 99999999\r\n\r\n", "", errAnswer},
		"huge chunk":      {head + "Transfer-Encoding: chunked\r\n\r\nFFFFFF\r\n", "", errAnswer},
		"bad chunk":       {head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", "", errAnswer},
		"endless headers": {head + strings.Repeat("X: y\r\n", maxAnswer), "", errAnswer},
		"cut":             {head + "Content-Length: 5\r\n\r\nhel", "", io.EOF},
		"cut in headers":  {head, "", io.EOF},
	} {
		for _, r := range []io.Reader{strings.NewReader(c.in), iotest.OneByteReader(strings.NewReader(c.in))} {
			got, err := readAnswer(r)
			if string(got) != c.want || !errors.Is(err, c.err) {
				t.Errorf("%s: %q, %v", name, got, err)
			}
		}
	}
}

// What we write by hand is what net/http reads, and the other way round.
func TestWireAgainstNetHTTP(t *testing.T) {
	long := strings.Repeat("名", 3000) // long enough for net/http to send chunks
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != "POST" || r.URL.Path != "/v1/event" || r.Header.Get("Content-Type") != "application/json" {
			http.Error(w, "wrong", http.StatusBadRequest)
			return
		}
		w.Write(body)
		w.(http.Flusher).Flush()
		w.Write([]byte(long))
	}))
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := post(conn, "/v1/event", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	got, err := readAnswer(conn)
	if err != nil || !bytes.Equal(got, []byte("{}"+long)) {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
}
