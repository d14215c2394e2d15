package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
)

// talker is one client of a history.
type talker struct {
	h  *history
	id int
	in *shared
}

// smallBudget makes sessions outgrow it, in tokens.
const smallBudget = "1200"

// do does one thing.
func (c *talker) do(ctx context.Context, n int) {
	name := fmt.Sprintf("%d.%d", c.id, n)
	switch p := rand.IntN(100); {
	case p < 45:
		c.turn(ctx, c.session(), "t"+name, p%2 == 0, false)
	case p < 52: // the same request twice at once
		var both sync.WaitGroup
		session := c.session()
		for range 2 {
			both.Go(func() { c.turn(ctx, session, "t"+name, p%2 == 0, true) })
		}
		both.Wait()
	case p < 67:
		c.append(ctx, name)
	case p < 74:
		c.undo(ctx)
	case p < 78:
		c.fork(ctx)
	case p < 81:
		_, _, _ = send(ctx, c.h.addr, "POST", c.path()+"/compress", nil, []byte(`{}`)) // changes nothing that can be seen
	default:
		c.read(ctx)
	}
}

// session is one of the ids that the session was ever called by.
func (c *talker) session() string {
	c.h.mu.Lock()
	defer c.h.mu.Unlock()
	return c.in.ids[rand.IntN(len(c.in.ids))]
}

func (c *talker) path() string {
	return "/api/sessions/" + strings.ReplaceAll(c.session(), "/", "%2F")
}

// turn takes a turn: its input is stored when the first piece of the answer comes,
// its answer when the whole has come.
func (c *talker) turn(ctx context.Context, session, name string, stream, keyed bool) {
	header := map[string]string{"X-Hermes-Session-Id": session, "X-Hermes-Context-Budget": smallBudget}
	if keyed {
		header["Idempotency-Key"] = session + "/" + name
	}
	call := c.h.now()
	told := c.speak(ctx, header, name+" "+filler, stream)
	in, out := said{kind: ask, name: name}, saw{known: told.known}
	if told.known {
		_, rest, _ := strings.Cut(told.answer, " after ")
		out.after, _, _ = strings.Cut(rest, " ")
		if nameOf(told.answer) != "n"+name[1:] {
			c.h.refuse("an answer to another question", 200, []byte(told.answer), nil)
		}
	}
	if told.replay {
		in.kind = again
		c.h.note(c.in, c.id, call, told.ended, in, out)
		return
	}
	c.h.note(c.in, c.id, call, told.stored, in, out)
	in.kind = answer
	c.h.note(c.in, c.id, call, told.ended, in, out)
}

// told is an answer with the moments when the turn's input and the answer were
// acknowledged.
type told struct {
	known, replay bool
	answer        string
	stored, ended int64
}

// speak asks, and listens to the end.
func (c *talker) speak(ctx context.Context, header map[string]string, text string, stream bool) (out told) {
	res, err := begin(ctx, c.h.addr, "POST", "/v1/chat/completions", header, chatBody(text, stream))
	if err != nil {
		c.h.refuse("turn", 0, nil, err)
		return out
	}
	defer func() { _ = res.Body.Close() }()
	var body strings.Builder
	for in := bufio.NewReader(res.Body); err == nil; {
		var line string
		line, err = in.ReadString('\n')
		body.WriteString(line)
		if out.stored == 0 && strings.Contains(line, `"content":"n`) {
			out.stored = c.h.now()
		}
	}
	out.ended = c.h.now()
	out.answer, out.known = readAnswer([]byte(body.String()), stream)
	out.replay = res.Header.Get("Idempotency-Replayed") == "true"
	if out.known = out.known && errors.Is(err, io.EOF) && res.StatusCode == http.StatusOK; !out.known {
		c.h.refuse("turn", res.StatusCode, []byte(body.String()), err)
		return out
	}
	c.h.called(c.in, res.Header.Get("X-Hermes-Session-Id"))
	return out
}

// listed is a list of messages as the API has it.
type listed struct {
	Data []struct {
		Seq          int
		Content      string
		FinishReason string `json:"finish_reason"`
	}
}

// log is the list in the form of a transcript.
func (l *listed) log() string {
	var out strings.Builder
	for _, m := range l.Data {
		fmt.Fprintf(&out, " %d:%s", m.Seq, nameOf(m.Content))
	}
	return out.String()
}

// append appends a message of a user's and one of an assistant's.
func (c *talker) append(ctx context.Context, name string) {
	in := said{kind: add, names: []string{"a" + name, "b" + name}}
	body, _ := json.Marshal(map[string]any{"messages": []map[string]string{ // strings: cannot fail
		{"role": "user", "content": in.names[0] + " " + filler}, {"role": "assistant", "content": in.names[1] + " " + filler},
	}})
	path, call := c.path()+"/messages", c.h.now()
	var got listed
	out := c.ask(ctx, "POST", path, body, &got)
	ended := c.h.now()
	if out.known = out.known && len(got.Data) == 2; out.known {
		out.from = got.Data[0].Seq
	}
	c.h.note(c.in, c.id, call, ended, in, out)
}

func (c *talker) read(ctx context.Context) {
	path, call := c.path()+"/messages?limit=1000", c.h.now()
	var got listed
	out := c.ask(ctx, "GET", path, nil, &got)
	ended := c.h.now()
	out.log = got.log()
	c.h.note(c.in, c.id, call, ended, said{kind: look}, out)
}

func (c *talker) undo(ctx context.Context) {
	path, call := c.path()+"/undo", c.h.now()
	var got struct {
		Undone int
		Text   string
	}
	out := c.ask(ctx, "POST", path, nil, &got)
	ended := c.h.now()
	out.count, out.name = got.Undone, nameOf(got.Text)
	c.h.note(c.in, c.id, call, ended, said{kind: undo}, out)
}

// fork copies the session. What the copy holds is what the session held.
func (c *talker) fork(ctx context.Context) {
	path, call := c.path()+"/fork", c.h.now()
	var made struct{ ID string }
	out := c.ask(ctx, "POST", path, []byte(`{}`), &made)
	ended := c.h.now()
	if out.known && !out.absent {
		var got listed
		out = c.ask(ctx, "GET", "/api/sessions/"+made.ID+"/messages?limit=1000", nil, &got)
		out.log = got.log()
	}
	c.h.note(c.in, c.id, call, ended, said{kind: fork}, out)
}

// ask asks for one thing, and says whether an answer came.
func (c *talker) ask(ctx context.Context, method, path string, body []byte, into any) saw {
	status, answerBody, err := send(ctx, c.h.addr, method, path, nil, body)
	switch {
	case err == nil && status == http.StatusNotFound:
		return saw{known: true, absent: true}
	case err == nil && (status == http.StatusOK || status == http.StatusCreated) && json.Unmarshal(answerBody, into) == nil:
		return saw{known: true}
	}
	c.h.refuse(method+" "+path, status, answerBody, err)
	return saw{}
}
