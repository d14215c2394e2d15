package openai

import "github.com/go-json-experiment/json/jsontext"

// framed reports whether a member of a chat request is not a model setting.
func framed(name string) bool {
	switch name {
	case "messages", "model", "tools", "functions", "stream", "stream_options":
		return true
	}
	return false
}

// Settings are the parameters of a chat request without messages, model and tools, each
// unchanged: a JSON object, or nil if there are none.
func Settings(body []byte) []byte {
	var out []byte
	s := scanner{text: body}
	s.object(func(name []byte) {
		value := s.raw()
		if value == nil || framed(string(name)) {
			return
		}
		out, _ = jsontext.AppendQuote(append(out, ','), name) // reports invalid UTF-8 after replacing it
		out = append(append(out, ':'), value...)
	})
	if s.end(); s.bad || out == nil {
		return nil
	}
	out[0] = '{'
	return append(out, '}')
}
