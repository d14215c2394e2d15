package cli

import (
	"fmt"
	"log"
	"log/slog"
	"strings"

	"github.com/hermes-memory/hermes/internal/upstream"
)

// banner says where the server listens, where the data is, which responder answers and
// why, and gives two lines to paste.
func (a *app) banner(s *server, at *listening, development bool) {
	out := a.out
	urls := reachable(at.addr, at.public, interfaceAddrs())
	base := urls[0]
	fmt.Fprintf(out, "hermes %s\n\n", Version())
	fmt.Fprintf(out, "  listening   %s/v1\n", strings.Join(urls, "/v1\n              "))
	if at.public {
		fmt.Fprintf(out, "  names       %s\n", answeredNames(s.cfg))
	}
	if at.ollama != "" {
		fmt.Fprintf(out, "              (Ollama holds %s, so it is the model and this is the memory)\n", at.ollama)
	}
	fmt.Fprintf(out, "  page        %s/ (in a browser; `hermes page` opens it)\n", base)
	if at.socket != "" {
		fmt.Fprintf(out, "  socket      %s (for the hermes command of this account alone)\n", at.socket)
	}
	fmt.Fprintf(out, "  data        %s\n", s.dataPlace())
	fmt.Fprintf(out, "  responder   %s\n", describe(s))
	for _, skipped := range s.choice.Skipped {
		fmt.Fprintf(out, "              (%s)\n", skipped)
	}
	if at.admin != nil {
		fmt.Fprintf(out, "  metrics     http://%s/metrics\n", at.admin.Addr())
	}
	key := "$API_SERVER_KEY"
	switch {
	case s.cfg.Server.NoAuth:
		key = "none"
		fmt.Fprintf(out, "  key         none: every account and program on this machine reads all data and may chat; sessions and changes need a key\n")
	case development:
		key = "hermes"
		fmt.Fprintf(out, "  key         hermes (the development key: this machine only, until you make one)\n")
		fmt.Fprintf(out, "              Every account and program on this machine can read and change all data with it.\n")
		fmt.Fprintf(out, "              On a shared machine make a key: hermes keys create --name me --owner local\n")
	default:
		fmt.Fprintf(out, "  key         required (see `hermes keys`)\n")
	}
	fmt.Fprintf(out, "\nTell it something, then ask:\n\n%s\n%s\n\n",
		sample(base, key, "My name is Alex. I'm building a distributed cache in Rust."),
		sample(base, key, "What tech stack are we using again?"))
}

// describe is the responder, with the reason for it.
func describe(s *server) string {
	if s.choice.Kind == upstream.KindRecall {
		if s.cfg.Responder == "off" {
			return "none: " + s.choice.Why + ", and recall is off; calls get 503"
		}
		return "recall, which quotes what it was told: " + s.choice.Why + ".\n" +
			"              Put a model behind it with HERMES_UPSTREAM_URL=http://host:port/v1"
	}
	name := s.choice.Name
	if name == "" {
		name = "its first model"
	}
	return fmt.Sprintf("%s at %s: %s", name, s.choice.BaseURL, s.choice.Why)
}

func sample(base, key, text string) string {
	return fmt.Sprintf(`  curl %s/v1/chat/completions -H "Authorization: Bearer %s" -H "X-Hermes-Session-Id: demo" \
    -d '{"model":"hermes","messages":[{"role":"user","content":"%s"}]}'`,
		base, key, strings.ReplaceAll(text, "'", `'\''`))
}

// serverLog forwards the messages of net/http to the log.
func serverLog(l *slog.Logger) *log.Logger {
	return slog.NewLogLogger(l.Handler(), slog.LevelDebug)
}
