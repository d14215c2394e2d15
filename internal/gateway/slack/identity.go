package slack

import (
	"context"
	"errors"
	"slices"
	"strings"

	api "github.com/slack-go/slack"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
)

// identity is who the bot is.
type identity struct {
	team string
	user string // the bot's own user
	bot  string
	name string
}

// scopes are what the app must be allowed, each with what it is for.
func scopes() [][2]string {
	return [][2]string{
		{"app_mentions:read", "to hear mentions"},
		{"channels:history", "to read public channels"},
		{"channels:read", "to know the names of public channels"},
		{"chat:write", "to send messages"},
		{"commands", "to offer slash commands"},
		{"files:read", "to fetch files"},
		{"files:write", "to send files"},
		{"groups:history", "to read private channels"},
		{"groups:read", "to know the names of private channels"},
		{"im:history", "to read direct messages"},
		{"im:read", "to know direct messages"},
		{"mpim:history", "to read group messages"},
		{"mpim:read", "to know group messages"},
		{"reactions:write", "to mark messages"},
		{"users:read", "to know names and time zones"},
	}
}

// introduce asks Slack who the bot is. granted are the scopes of the app; nil if Slack does
// not tell.
func (a *Adapter) introduce(ctx context.Context) (granted []string, err error) {
	r, err := a.api.AuthTestContext(ctx)
	if err != nil {
		return nil, err
	}
	if r.UserID == "" || r.TeamID == "" {
		return nil, errNoAnswer
	}
	a.mu.Lock()
	a.self = identity{team: r.TeamID, user: r.UserID, bot: r.BotID, name: r.User}
	a.mu.Unlock()
	list := r.Header.Get("X-OAuth-Scopes")
	if list == "" {
		return nil, nil
	}
	for scope := range strings.SplitSeq(list, ",") {
		granted = append(granted, strings.TrimSpace(scope))
	}
	return granted, nil
}

// introduced makes sure that it is known who the bot is. A new server looks for messages before
// its adapter has connected.
func (a *Adapter) introduced(ctx context.Context) error {
	if a.who().user != "" {
		return nil
	}
	_, err := a.introduce(ctx)
	return err
}

// lacking says which scopes the app lacks, and what to do.
func lacking(granted []string) []string {
	if granted == nil {
		return nil
	}
	var out []string
	for _, scope := range scopes() {
		if !slices.Contains(granted, scope[0]) {
			out = append(out, "The app lacks the scope "+scope[0]+", "+scope[1]+". Add the scope to the app, then install the app again.")
		}
	}
	return out
}

// Check asks Slack who the bot is, and names what the app lacks.
func (a *Adapter) Check(ctx context.Context) (gateway.Checked, error) {
	granted, err := a.introduce(ctx)
	if err != nil {
		return gateway.Checked{}, refusal(err)
	}
	c := gateway.Checked{Account: a.account, Name: a.who().name, Missing: lacking(granted)}
	if a.config.AppToken == "" {
		return c, nil
	}
	_, _, err = a.api.StartSocketModeContext(ctx)
	if e, ok := errors.AsType[api.SlackErrorResponse](err); ok {
		c.Missing = append(c.Missing, "Slack gives no connection for Socket Mode ("+word(e.Err)+"). "+appToken().remedy)
		return c, nil
	}
	if err != nil {
		return gateway.Checked{}, refusal(err)
	}
	return c, nil
}

// refusal is an error of the Web API, in words for a person.
func refusal(err error) error {
	if named := orToken(err, botToken()); fault.CodeOf(named) == invalidToken {
		return named
	}
	return fault.Wrap(fault.Unavailable, "slack_unavailable", failure(err, false).Text, harmless(err))
}
