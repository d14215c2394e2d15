package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// exported is an export of a shell's sessions in a file.
func (s *shell) exported(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "export.jsonl")
	if err := os.WriteFile(file, []byte(s.do(exitOK, "sessions", "export", "-")), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// forgetFact forgets the facts that have a word, of a memory that two arguments name.
func (s *shell) forgetFact(how, of, word string) {
	s.t.Helper()
	var facts []struct{ ID, Quote string }
	if err := json.Unmarshal([]byte(s.do(exitOK, "memory", "list", how, of, "--json")), &facts); err != nil {
		s.t.Fatal(err)
	}
	for _, f := range facts {
		if strings.Contains(f.Quote, word) {
			s.do(exitOK, "memory", "forget", f.ID, how, of)
		}
	}
}

// TestImportLeavesOutCopies: neither an export nor a backup brings back the words of a fact from copies of its message.
func TestImportLeavesOutCopies(t *testing.T) {
	t.Parallel()
	s := restoreHouse(t)
	s.add("s1", "I collect stamps. I live in Lima.")
	fork := strings.TrimSpace(s.do(exitOK, "sessions", "fork", "s1"))
	file, old := s.exported(t), filepath.Join(t.TempDir(), "old.tar")
	s.do(exitOK, "backup", old)
	call, stop := s.serve()
	call(http.MethodPost, "/api/sessions/s1/undo", "")
	chat(call, "s1", "I collect stamps. I live in Lima.")
	stop()
	left := func(what, query string, want int) {
		t.Helper()
		if got := s.count("SELECT count(*) FROM messages WHERE " + query); got != want {
			t.Errorf("%s: got %d messages, want %d", what, got, want)
		}
	}
	left("before", "content LIKE '%stamps%'", 3)
	s.forgetFact("--session", "s1", "stamps")
	left("forgotten", "content LIKE '%stamps%'", 0)
	left("forgotten", "content LIKE '%I live in Lima.%'", 3)
	s.do(exitOK, "sessions", "delete", "s1", "--yes")
	s.do(exitOK, "sessions", "delete", fork, "--yes")
	if told := s.do(exitOK, "sessions", "import", file); !strings.Contains(told, "Left out of 2 messages what was forgotten here.") {
		t.Errorf("got %q, want the number of the messages that lack something", told)
	}
	left("imported", "content LIKE '%stamps%'", 0)
	left("imported", "content LIKE '%I live in Lima.%'", 2)
	s.do(exitOK, "restore", old, "--yes")
	left("restored", "content LIKE '%stamps%'", 0)
	left("restored", "content LIKE '%I live in Lima.%'", 2)
}

// TestImportLeavesOutWhatWasForgotten: an export of this program does not bring back sessions and sentences that were
// forgotten since, unless that is asked for.
func TestImportLeavesOutWhatWasForgotten(t *testing.T) {
	t.Parallel()
	s := restoreHouse(t)
	s.add("whole", "My hobby is falconry.")
	s.add("part", "I collect stamps. I live in Lima.")
	file := s.exported(t)
	s.do(exitOK, "forget", "--session", "whole", "--yes")
	s.forgetFact("--session", "part", "stamps")
	s.do(exitOK, "sessions", "delete", "part", "--yes")
	for _, how := range [][]string{{"sessions", "import"}, {"import"}} {
		said := s.do(exitOK, append(how, file)...)
		for word, want := range map[string]int{"falconry": 0, "stamps": 0, "Lima": 1} {
			if got := s.count(`SELECT count(*) FROM messages WHERE role = 'user' AND content LIKE '%` + word + `%'`); got != want {
				t.Errorf("%v: %q stands in %d messages, want %d; said %s", how, word, got, want, said)
			}
		}
		if how[0] == "sessions" && !strings.Contains(said, "Left out 1 session that was forgotten here") {
			t.Errorf("said %s, want the session that was left out", said)
		}
		s.do(exitOK, "sessions", "delete", "part", "--yes")
	}
	s.do(exitOK, "sessions", "import", file, "--restore")
	if got := s.count(`SELECT count(*) FROM messages WHERE content LIKE '%falconry%' OR content LIKE '%stamps%'`); got < 2 {
		t.Errorf("restored: got %d messages, want those of both sessions", got)
	}
}

// TestImportOfANewSessionWithAForgottenID: a session that began after another one with its id was forgotten comes back.
func TestImportOfANewSessionWithAForgottenID(t *testing.T) {
	t.Parallel()
	s := restoreHouse(t)
	s.add("s1", "My hobby is falconry.")
	s.do(exitOK, "forget", "--session", "s1", "--yes")
	call, stop := s.serve()
	call(http.MethodPost, "/api/sessions", `{"id":"s1"}`)
	chat(call, "s1", "I live in Lima.")
	stop()
	file := s.exported(t)
	s.do(exitOK, "sessions", "delete", "s1", "--yes")
	s.do(exitOK, "sessions", "import", file)
	if got := s.count(`SELECT count(*) FROM messages WHERE content LIKE '%Lima%'`); got == 0 {
		t.Error("the new session did not come back")
	}
}

// TestImportContinuesASession: a session that an export only continues gets the new messages, also a second time. One
// with other messages stays as it is.
func TestImportContinuesASession(t *testing.T) {
	t.Parallel()
	s := restoreHouse(t)
	call, stop := s.serve()
	call(http.MethodPost, "/api/sessions", `{"id":"s1"}`)
	chat(call, "s1", "I use vim.")
	stop()
	old := filepath.Join(t.TempDir(), "old.tar")
	s.do(exitOK, "backup", old)
	call, stop = s.serve()
	chat(call, "s1", "I switched to helix yesterday.")
	chat(call, "s1", "I live in Lima.")
	stop()
	file := s.exported(t)
	s.do(exitOK, "restore", old, "--yes")
	for _, want := range []string{"Added what is new to 1 session that was there.", "1 were there already."} {
		if said := s.do(exitOK, "sessions", "import", file); !strings.Contains(said, want) {
			t.Errorf("said %s, want %s", said, want)
		}
		if said := s.exported(t); !sameMessages(t, said, file) {
			t.Errorf("the session differs from its export")
		}
	}
	s.do(exitOK, "restore", old, "--yes")
	call, stop = s.serve()
	chat(call, "s1", "I went on here.")
	stop()
	if said := s.do(exitFailed, "sessions", "import", file); !strings.Contains(said, "with other messages") {
		t.Errorf("said %s, want the session that differs", said)
	}
}

// sameMessages reports whether two exports of one session have the same messages, with their times and ids.
func sameMessages(t *testing.T, a, b string) bool {
	t.Helper()
	var lines [2]struct {
		Messages []struct {
			ID      int64
			Role    string
			Content string
			SaidAt  json.RawMessage `json:"said_at"`
		}
	}
	for i, file := range []string{a, b} {
		text, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(text, &lines[i])
		}
		if err != nil || len(lines[i].Messages) < 3 {
			t.Fatalf("got %+v and %v", lines[i], err)
		}
	}
	return reflect.DeepEqual(lines[0], lines[1])
}

// chatGPT is an export of ChatGPT in a file: one conversation, whose messages take turns. The ids of the messages
// from the one of a number on end with a suffix, as they have other ids behind an edit.
func chatGPT(t *testing.T, edited int, suffix string, texts ...string) string {
	t.Helper()
	type node map[string]any
	id := func(i int) string {
		if i >= edited {
			return fmt.Sprint("m", i, suffix)
		}
		return fmt.Sprint("m", i)
	}
	mapping := node{}
	for i, text := range texts {
		one := node{"id": id(i), "message": node{"id": id(i), "author": node{"role": [...]string{"user", "assistant"}[i%2]},
			"create_time": 1700000000 + i, "content": node{"content_type": "text", "parts": []string{text}}}}
		if i > 0 {
			one["parent"] = id(i - 1)
		}
		mapping[id(i)] = one
	}
	text, err := json.Marshal([]node{{"id": "c", "title": "Talk", "create_time": 1700000000, "current_node": id(len(texts) - 1), "mapping": mapping}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "conversations.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestImportOfAnEditedConversation: what was forgotten sentence by sentence stays out, also where the messages behind an
// edit are stored again, or the whole conversation as a session apart. An import that is to restore it does.
func TestImportOfAnEditedConversation(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		talk, restore bool
		id            string
	}{"changed": {id: "chatgpt:c"}, "apart": {talk: true, id: "chatgpt:c~2"}, "restored": {restore: true, id: "chatgpt:c"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := restoreHouse(t)
			rest := []string{"Hi.", "My dog is called Bello. I live in Graz.", "Nice.", "I collect stamps.", "Good."}
			texts := func(first string) []string { return append([]string{first}, rest...) }
			s.do(exitOK, "import", chatGPT(t, 9, "", texts("My cat is called Milo.")...))
			for _, word := range []string{"Bello", "stamps"} {
				s.forgetFact("--key", "me", word)
			}
			if tt.talk {
				call, stop := s.serve()
				chat(call, "chatgpt:c", "I play chess.")
				stop()
			}
			how := []string{"import", chatGPT(t, 0, "b", texts("My cat is called Tom.")...)}
			if tt.restore {
				how = append(how, "--restore")
			}
			said := s.do(exitOK, how...)
			want := map[string]bool{"Tom": true, "Graz": true, "Bello": tt.restore, "stamps": tt.restore}
			for word, there := range want {
				n := s.count(`SELECT count(*) FROM messages WHERE undone_at IS NULL AND content LIKE '%` + word + `%'`)
				if facts := strings.Contains(s.do(exitOK, "memory", "list", "--key", "me"), word); facts != there || n > 0 != there {
					t.Errorf("%q stands in %d messages, and in a fact: %t; want %t; said %s", word, n, facts, there, said)
				}
			}
			s.do(exitOK, "sessions", "show", tt.id)
		})
	}
}

// TestImportApartKeepsSentencesOut: a sentence that was forgotten from memories of another program stays out of their
// session apart, also where a later import adds them.
func TestImportApartKeepsSentencesOut(t *testing.T) {
	t.Parallel()
	s := restoreHouse(t)
	memories := func(list ...string) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "memories.json")
		if err := os.WriteFile(file, []byte("["+strings.Join(list, ",")+"]"), 0o600); err != nil {
			t.Fatal(err)
		}
		s.do(exitOK, "import", file, "--key", "me")
	}
	const porto = `{"id":"1","memory":"Lives in Porto.","user_id":"rui","created_at":"2025-01-01T00:00:00Z"}`
	const faro = `{"id":"1","memory":"Lives in Faro.","user_id":"rui","created_at":"2025-01-01T00:00:00Z","updated_at":"2025-03-01T00:00:00Z"}`
	const stamps = `{"id":"2","memory":"Collects stamps.","user_id":"rui","created_at":"2025-01-02T00:00:00Z"}`
	const boat = `{"id":"3","memory":"Owns a boat.","user_id":"rui","created_at":"2025-01-03T00:00:00Z"}`
	memories(porto, stamps, boat)
	s.forgetFact("--key", "me", "stamps")
	call, stop := s.serve()
	chat(call, "mem0:rui", "I live in Lima.")
	stop()
	memories(faro) // a page
	memories(faro, stamps, boat)
	for word, want := range map[string]int{"Faro": 1, "boat": 2, "stamps": 0} {
		if got := s.count(`SELECT count(*) FROM messages WHERE content LIKE '%` + word + `%'`); got != want {
			t.Errorf("%q stands in %d messages, want %d", word, got, want)
		}
	}
	s.do(exitOK, "sessions", "delete", "mem0:rui", "--yes") // the session apart is brought up to date without the first one
	memories(faro, stamps, boat, `{"id":"4","memory":"Plays chess.","user_id":"rui","created_at":"2025-04-01T00:00:00Z"}`)
	if got := s.count(`SELECT count(*) FROM messages WHERE content LIKE '%chess%'`); got != 1 {
		t.Errorf("got %d messages, want the new one", got)
	}
}
