package cli

import (
	"net/http"

	"github.com/spf13/cobra"
)

// showRows fetches the list at a path and prints it: as JSON where that is asked
// for, as a hint where it is empty, else by tell.
func showRows[T any](a *app, c *cobra.Command, path, empty string, tell func([]T) error) error {
	return a.withClient(c, func(cl *client) error {
		var list struct {
			Data []T `json:"data"`
		}
		if err := cl.call(c.Context(), http.MethodGet, path, nil, &list); err != nil {
			return err
		}
		switch {
		case a.json:
			return a.printJSON(list.Data)
		case len(list.Data) == 0:
			a.say("%s", empty)
			return nil
		}
		return tell(list.Data)
	})
}
