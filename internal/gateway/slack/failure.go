package slack

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	api "github.com/slack-go/slack"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// unknownWait is the wait after a limit without a time.
const unknownWait = 30 * time.Second

// reasonOf is the reason that a code of the Web API stands for. A code that is not in the
// table is a refusal.
func reasonOf(code string) gateway.SendReason {
	switch code {
	case "channel_not_found", "is_archived", "not_in_channel", "user_not_found", "user_disabled", "team_access_not_granted":
		return gateway.Gone
	case "message_not_found", "cant_update_message", "edit_window_closed":
		return gateway.Missing
	case "thread_not_found", "cannot_reply_to_message", "invalid_thread_ts":
		return gateway.NoThread
	case "invalid_blocks", "invalid_blocks_format", "invalid_attachments", "msg_blocks_too_long", "markdown_text_conflict":
		return gateway.Malformed
	case "ratelimited", "rate_limited":
		return gateway.Limited
	case "service_unavailable", "request_timeout", "team_added_to_org", "accesslimited", "org_login_required", "ekm_access_denied":
		return gateway.Temporary
	case "internal_error", "fatal_error":
		return gateway.Unknown // Slack says that a part of the operation may have succeeded
	}
	if fatalCode(code) {
		return gateway.Temporary // another token may help
	}
	return gateway.Refused
}

// failure turns an error of the Web API into one of sending. wrote says that the request
// went out, so that Slack may have taken it.
func failure(err error, wrote bool) *gateway.SendError {
	f := &gateway.SendError{Err: harmless(err)}
	if e, ok := errors.AsType[*api.RateLimitedError](err); ok {
		f.Reason, f.After, f.Text = gateway.Limited, max(e.RetryAfter, time.Second), "Slack asks to wait."
		return f
	}
	if e, ok := errors.AsType[api.SlackErrorResponse](err); ok {
		f.Reason, f.Text = reasonOf(e.Err), explained(e)
		if f.Reason == gateway.Limited {
			f.After = unknownWait
		}
		return f
	}
	if e, ok := errors.AsType[api.StatusCodeError](err); ok {
		statusFailure(f, e.Code)
		return f
	}
	if wrote {
		f.Reason, f.Text = gateway.Unknown, "The connection to Slack broke before an answer came."
		return f
	}
	f.Reason, f.Text = gateway.Temporary, "Slack cannot be reached."
	return f
}

// isCode reports whether an error is a code of the Web API.
func isCode(err error, code string) bool {
	e, ok := errors.AsType[api.SlackErrorResponse](err)
	return ok && e.Err == code
}

// statusFailure sets the reason of an answer without a body that can be read.
func statusFailure(f *gateway.SendError, status int) {
	f.Text = fmt.Sprintf("Slack answers with status %d.", status)
	switch {
	case status == http.StatusTooManyRequests:
		f.Reason, f.After = gateway.Limited, unknownWait
	case status == http.StatusServiceUnavailable, status < http.StatusInternalServerError:
		f.Reason = gateway.Temporary
	default:
		f.Reason = gateway.Unknown // a proxy may have passed the request on
	}
}

// explained says what a code means, in words that are safe to show.
func explained(e api.SlackErrorResponse) string {
	text := "Slack refuses: " + word(e.Err) + "."
	if e.Err == "missing_scope" && e.Needed != "" {
		text += " Add the scope " + word(e.Needed) + " to the app, then install the app again."
	}
	return text
}

// wordSigns are the signs of Slack's codes and scopes.
const wordSigns = "abcdefghijklmnopqrstuvwxyz0123456789_:,."

// word is a code of Slack's, or a part of what stands in its place.
func word(code string) string {
	kept := strings.Map(func(r rune) rune {
		if strings.ContainsRune(wordSigns, r) {
			return r
		}
		return -1
	}, code[:min(len(code), 80)])
	return cmp.Or(kept, "no reason given")
}

// harmless is an error without the address of the request, which may hold a ticket.
func harmless(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}
