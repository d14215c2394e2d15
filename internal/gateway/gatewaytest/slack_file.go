package gatewaytest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
)

// slackFile is a file.
type slackFile struct {
	id, name, title, url string
	mime, subtype        string
	length               int
	data                 []byte
}

// shown is the file as messages show it.
func (f *slackFile) shown() map[string]any {
	return map[string]any{
		"id": f.id, "name": f.name, "title": f.title, "mimetype": f.mime, "subtype": f.subtype, "mode": "hosted", "size": len(f.data),
		"url_private": f.url, "url_private_download": f.url,
	}
}

func (s *Slack) uploadURL(args url.Values) (map[string]any, string) {
	length, err := strconv.Atoi(args.Get("length"))
	if err != nil || length <= 0 || args.Get("filename") == "" {
		return nil, "invalid_arguments"
	}
	f := &slackFile{id: s.next("F"), name: args.Get("filename"), length: length}
	f.url = s.server.URL + "/files/" + f.id
	s.files[f.id] = f
	return map[string]any{"upload_url": s.server.URL + "/upload/" + f.id, "file_id": f.id}, ""
}

// takeUpload takes the bytes of a file.
func (s *Slack) takeUpload(w http.ResponseWriter, r *http.Request) {
	part, _, err := r.FormFile("file")
	if err != nil {
		http.Error(w, "no file", http.StatusBadRequest)
		return
	}
	data, err := io.ReadAll(part)
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.files[r.PathValue("id")]
	if err != nil || f == nil || len(data) != f.length {
		http.Error(w, "another length", http.StatusBadRequest)
		return
	}
	f.data = data
	_, _ = io.WriteString(w, "OK - "+strconv.Itoa(len(data)))
}

func (s *Slack) completeUpload(args url.Values) (map[string]any, string) {
	c, code := s.chat(args, "channel_id")
	if code != "" {
		return nil, code
	}
	var list []struct {
		ID    string `json:"id"`
		Title string `json:"title"`
	}
	if err := json.Unmarshal([]byte(args.Get("files")), &list); err != nil || len(list) != 1 || s.files[list[0].ID] == nil {
		return nil, "file_not_found"
	}
	f := s.files[list[0].ID]
	if f.data == nil {
		return nil, "file_not_found"
	}
	m := &slackMessage{text: args.Get("initial_comment"), files: []*slackFile{f}, hidden: s.options.ShareAfter}
	if m.text == "" {
		m.blocks = json.RawMessage(args.Get("blocks"))
	}
	if wrong := checkBlocks(m.blocks); wrong != "" {
		s.breach("invalid blocks: %s", wrong)
		return nil, "invalid_blocks"
	}
	s.checkText(m.text)
	if m.thread = args.Get("thread_ts"); m.thread != "" && c.find(m.thread) == nil {
		return nil, "thread_not_found"
	}
	if code := s.pace(c); code != "" {
		return c.retryAfter(), code
	}
	f.title = list[0].Title
	s.append(c, m)
	return map[string]any{"files": []any{map[string]any{"id": f.id, "title": f.title}}}, ""
}

func (s *Slack) filesInfo(args url.Values) (map[string]any, string) {
	f := s.files[args.Get("file")]
	if f == nil {
		return nil, "file_not_found"
	}
	return map[string]any{"file": f.shown()}, ""
}

// giveFile gives the bytes of a file. As the real one, the fake leads those without the
// token to the page where they can sign in.
func (s *Slack) giveFile(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	f := s.files[r.PathValue("id")]
	s.mu.Unlock()
	if f == nil {
		http.NotFound(w, r)
		return
	}
	if r.Header.Get("Authorization") != "Bearer "+SlackBotToken {
		http.Redirect(w, r, "https://team.slack.com/?redir="+r.URL.Path, http.StatusFound)
		return
	}
	_, _ = w.Write(f.data)
}
