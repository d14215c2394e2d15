package httpapi

import (
	"bytes"
	"fmt"
	"net"

	"github.com/hermes-memory/hermes/internal/fault"
)

// JSONRefusals makes a listener whose connections tell in JSON what net/http
// refuses before a handler sees it, such as control characters in a header:
// clients of this API read an error's body, and net/http writes plain text.
func JSONRefusals(l net.Listener) net.Listener { return refusalListener{l} }

type refusalListener struct{ net.Listener }

// Accept implements net.Listener.
func (l refusalListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return refusalConn{c}, nil
}

type refusalConn struct{ net.Conn }

// Write implements net.Conn. net/http writes a refusal in one piece.
func (c refusalConn) Write(p []byte) (int, error) {
	told := refusal(p)
	if told == nil {
		return c.Conn.Write(p)
	}
	if _, err := c.Conn.Write(told); err != nil {
		return 0, err
	}
	return len(p), nil
}

// CloseWrite lets net/http end its side first, so that a client that is still
// sending gets to see the refusal.
func (c refusalConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// plainHead is what follows the status line of net/http's own refusals, and of
// nothing that this package answers.
const plainHead = "\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"

// refusal is a refusal of net/http in JSON; nil if p is none.
func refusal(p []byte) []byte {
	end := bytes.Index(p, []byte("\r\n"))
	if end < 0 || !bytes.HasPrefix(p, []byte("HTTP/1.1 ")) || !bytes.HasPrefix(p[end:], []byte(plainHead)) {
		return nil
	}
	status, reason := p[len("HTTP/1.1 "):end], p[end+len(plainHead):]
	body := errorBody(fault.New(fault.Invalid, "bad_request",
		"The request was refused before it was read: "+string(reason)+". Header values must not hold control characters."))
	return fmt.Appendf(nil, "HTTP/1.1 %.3s Refused\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s",
		status, len(body), body)
}
