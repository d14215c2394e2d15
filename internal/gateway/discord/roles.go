package discord

import (
	"context"
	"sync"

	"github.com/disgoorg/disgo/rest"
)

// maxRoles bounds how many roles are remembered.
const maxRoles = 1000

// rawRole is a role of a guild. Discord makes a role of the bot's name when the bot is invited
// with permissions; its tags name the bot. People who type the bot's name are offered both.
type rawRole struct {
	ID   string `json:"id"`
	Tags struct {
		BotID string `json:"bot_id"`
	} `json:"tags"`
}

// roles remembers which roles are the bot's own. A role stays what it is.
type roles struct {
	api *api
	bot string

	mu  sync.Mutex
	own map[string]bool // guarded by mu
}

func newRoles(a *api, bot string) *roles { return &roles{api: a, bot: bot, own: make(map[string]bool)} }

// mine are those of the mentioned roles of a guild that are the bot's own.
func (r *roles) mine(ctx context.Context, guild string, list []string) ([]string, error) {
	own, unknown := r.known(list)
	if len(unknown) == 0 || !isID(guild) {
		return own, nil
	}
	var all []rawRole
	if err := r.api.do(ctx, rest.GetRoles.Compile(nil, guild), nil, &all); err != nil {
		return own, unlessHopeless(err)
	}
	r.learn(all)
	more, _ := r.known(unknown)
	return append(own, more...), nil
}

// known divides roles into the bot's own, others, which are left out, and unknown ones.
func (r *roles) known(list []string) (own, unknown []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range list {
		switch mine, ok := r.own[id]; {
		case !ok:
			unknown = append(unknown, id)
		case mine:
			own = append(own, id)
		}
	}
	return own, unknown
}

// learn remembers the roles of a guild. If there are too many, all others are forgotten.
func (r *roles) learn(list []rawRole) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.own)+len(list) > maxRoles {
		clear(r.own)
	}
	for i := range list {
		r.own[list[i].ID] = list[i].Tags.BotID == r.bot
	}
}
