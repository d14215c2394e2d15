package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/mcpserver"
	"github.com/hermes-memory/hermes/internal/recovery"
	"github.com/hermes-memory/hermes/internal/session"
)

func (a *app) mcpCommand() *cobra.Command {
	var id, key string
	c := &cobra.Command{
		Use: "mcp", Short: "Give an MCP client the memory, over standard input and output", Args: noArgs,
		Long: `Give an MCP client the memory, over standard input and output: the tools
recall, remember, forget and session_search. It ends when its input does.

--session-id and --session-key say whose memory is meant where a call does not.
It goes through the running server of this home, or opens the home itself.

An MCP client starts this command by itself: hermes mcp install CLIENT tells it to.`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := checkScope(id, key); err != nil {
				return usageError{err}
			}
			return a.withClient(c, func(cl *client) error { return a.runMCP(c.Context(), cl, id, key) })
		},
	}
	c.Flags().StringVar(&id, "session-id", "", "the session whose memory is meant")
	c.Flags().StringVar(&key, "session-key", "", "the session key whose memory is meant")
	c.AddCommand(a.mcpInstallCommand(), a.mcpUninstallCommand(), a.mcpStatusCommand())
	return c
}

// checkScope refuses ids and keys that the API would refuse in every call.
func checkScope(id, key string) error {
	if id != "" {
		if _, err := session.ParseID(id); err != nil {
			return err
		}
	}
	if key != "" {
		if _, err := session.ParseKey(key); err != nil {
			return err
		}
	}
	return nil
}

// runMCP serves one client until it disconnects.
func (a *app) runMCP(ctx context.Context, cl *client, id, key string) error {
	s := mcpserver.New(mcpserver.API{
		Client: cl.http, Base: cl.base, Authorization: "Bearer " + cl.token, SessionID: id, SessionKey: key,
	}, Version())
	p := &mcpPipe{in: bufio.NewScanner(a.process.Stdin), out: jsonWriter{a.raw}, answered: make(chan struct{}, 1)}
	p.in.Buffer(nil, maxMCPLine)
	stop := context.AfterFunc(ctx, recovery.Func(func() { p.answer(math.MinInt32) }, func(error) {})) // the process ends anyway
	defer stop()
	err := s.Run(ctx, &mcp.IOTransport{Reader: p, Writer: p})
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil // it was stopped, or its input has ended: that is how it ends
	}
	if _, prose := errors.AsType[*json.SyntaxError](err); prose {
		return fault.Wrap(fault.Invalid, "invalid_mcp_request",
			"Standard input is not the Model Context Protocol. An MCP client starts this command by itself and speaks to it: one JSON-RPC message a line.", err)
	}
	return err
}

// maxMCPLine bounds one message of a client, in bytes.
const maxMCPLine = 16 << 20

// mcpPipe is standard input and output. The end of the input takes effect once every
// request has been answered, so that scripts may pipe requests in.
type mcpPipe struct {
	in   *bufio.Scanner
	rest []byte // rest of the current line
	out  io.Writer

	mu       sync.Mutex
	open     int           // unanswered requests
	answered chan struct{} // told when there is one
}

// Read implements io.Reader.
func (p *mcpPipe) Read(b []byte) (int, error) {
	for len(p.rest) == 0 {
		if !p.in.Scan() {
			p.wait()
			return 0, errors.Join(p.in.Err(), io.EOF)
		}
		p.rest = append(append([]byte(nil), p.in.Bytes()...), '\n')
		if isRequest, _ := readsLike(p.rest); isRequest {
			p.answer(1)
		}
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

// Write implements io.Writer. The library writes whole messages.
func (p *mcpPipe) Write(b []byte) (int, error) {
	n, err := p.out.Write(b)
	if _, isAnswer := readsLike(b); isAnswer {
		p.answer(-1)
	}
	return n, err
}

// Close does nothing, because the process owns its input and output.
func (p *mcpPipe) Close() error { return nil }

// answer changes the number of unanswered requests.
func (p *mcpPipe) answer(n int) {
	p.mu.Lock()
	p.open += n
	p.mu.Unlock()
	select {
	case p.answered <- struct{}{}:
	default:
	}
}

// wait returns when all requests have been answered.
func (p *mcpPipe) wait() {
	for {
		p.mu.Lock()
		done := p.open <= 0
		p.mu.Unlock()
		if done {
			return
		}
		<-p.answered
	}
}

// readsLike reports whether a line is a request or an answer of JSON-RPC.
func readsLike(line []byte) (request, answer bool) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	known := json.Unmarshal(line, &m) == nil && len(m.ID) > 0
	return known && m.Method != "", known && m.Method == ""
}
