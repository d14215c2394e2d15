package cli

import (
	"net/http"
	"strings"

	"github.com/spf13/cobra"
)

// completeSession completes the ids of the newest sessions, with their titles. The
// shell waits for it, so it is silent after a failure.
func (a *app) completeSession(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	const none = cobra.ShellCompDirectiveNoFileComp
	if len(args) > 0 {
		return nil, none
	}
	var list struct {
		Data []struct {
			ID    string  `json:"id"`
			Title *string `json:"title"`
		} `json:"data"`
	}
	err := a.withClient(c, func(cl *client) error {
		return cl.call(c.Context(), http.MethodGet, "/api/sessions?limit=200", nil, &list)
	})
	if err != nil {
		return nil, none
	}
	var ids []string
	for _, s := range list.Data {
		if !strings.HasPrefix(s.ID, begun) {
			continue
		}
		if s.Title != nil {
			s.ID += "\t" + *s.Title
		}
		ids = append(ids, s.ID)
	}
	return ids, none
}
