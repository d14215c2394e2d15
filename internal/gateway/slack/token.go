package slack

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"regexp"
	"sync"

	api "github.com/slack-go/slack"

	"github.com/hermes-memory/hermes/internal/fault"
)

// invalidToken is the code of the error of a token that Slack refuses.
const invalidToken = "invalid_token"

// token is a token of the settings.
type token struct{ name, setting, remedy string }

func botToken() token {
	return token{"bot token", "token", "Install the app in the workspace again, and set SLACK_BOT_TOKEN to the token that Slack shows."}
}

func appToken() token {
	return token{
		"app token", "app_token",
		"Make an app-level token with the scope connections:write in the settings of the app, and set SLACK_APP_TOKEN.",
	}
}

// botTokenForm matches bot tokens of Slack. The first two numbers of a usual one are the ids
// of the workspace and the bot.
var botTokenForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:xoxe\.)?xoxb-(?:([0-9]{1,24}-[0-9]{1,24})-)?[A-Za-z0-9-]+$`)
})

var appTokenForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^xapp-[A-Za-z0-9-]+$`) })

// accountOf is a name of the bot that is known without asking Slack. It stays when the app is
// installed again.
func accountOf(token string) string {
	if ids := botTokenForm().FindStringSubmatch(token)[1]; ids != "" {
		return ids
	}
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:8])
}

// fatalCode reports whether Slack refuses the token for good.
func fatalCode(code string) bool {
	switch code {
	case "invalid_auth", "token_revoked", "token_expired", "account_inactive", "not_authed", "not_allowed_token_type":
		return true
	}
	return false
}

// refusedToken returns the code, if an error says that Slack refuses the token.
func refusedToken(err error) (string, bool) {
	e, ok := errors.AsType[api.SlackErrorResponse](err)
	return e.Err, ok && fatalCode(e.Err)
}

// orToken is an error, in words for a person if it says that Slack refuses the token.
func orToken(err error, t token) error {
	code, ok := refusedToken(err)
	if !ok {
		return err
	}
	return fault.Wrap(fault.Invalid, invalidToken, "Slack refuses the "+t.name+" ("+word(code)+"). "+t.remedy, harmless(err)).At(t.setting)
}
