package cli

import (
	"fmt"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/httpapi"
)

// examinePlatforms checks the connections of the bots of a running server.
func examinePlatforms(list []httpapi.PlatformState) []finding {
	var found []finding
	for i := range list {
		p := &list[i]
		f := finding{About: string(p.Platform), Level: fine, Says: fmt.Sprintf("%s; %d people may write, %d messages and %d answers wait",
			p.State, p.Users, p.Events, p.Sends)}
		if h := (gateway.Health{State: p.State}); !h.Connected() {
			f.Level, f.Do = failing, "`hermes platforms check` asks the platform what is missing."
			if p.Reason != nil {
				f.Says = p.State + ": " + *p.Reason
			}
		}
		found = append(found, f)
	}
	return found
}
