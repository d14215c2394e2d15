package cli

import (
	"fmt"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/httpapi"
)

// examinePlatforms checks the bots of a running server. A bot that receives messages can still be unable to answer
// them: then its state has a reason, as that of a bot that is not connected has.
func examinePlatforms(list []httpapi.PlatformState) []finding {
	var found []finding
	for i := range list {
		p := &list[i]
		f := finding{About: string(p.Platform), Level: fine, Says: fmt.Sprintf("%s; %s may write; waiting: %s, %s",
			p.State, countOf(p.Users, "person", "people"), countOf(p.Events, "message", "messages"), countOf(p.Sends, "answer", "answers"))}
		h := gateway.Health{State: p.State}
		if !h.Connected() || p.Reason != nil {
			f.Level, f.Do = failing, "`hermes platforms check` asks the platform what is missing."
		}
		if p.Reason != nil {
			f.Says = p.State + ": " + *p.Reason
		}
		found = append(found, f)
	}
	return found
}
