package discord

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/disgoorg/disgo/rest"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// Error codes of Discord that mean something here.
const (
	codeUnknownChannel     = 10003
	codeUnknownMessage     = 10008
	codeUnknownWebhook     = 10015
	codeUnknownInteraction = 10062
	codeMessagesDisabled   = 40004
	codeAcknowledged       = 40060
	codeMissingAccess      = 50001
	codeNotAuthor          = 50005
	codeCannotDM           = 50007
	codeNoPermission       = 50013
	codeWebhookToken       = 50027
	codeInvalidForm        = 50035
	codeArchived           = 50083
	codeNoCommonServer     = 50278
	codeNoHistory          = 160002
	codeLocked             = 160005
	codeModerated          = 200000
	codeHarmfulLink        = 240000
)

// meaning says what becomes of a message after an error of Discord. A code without a
// meaning refuses the message.
func meaning(code rest.JSONErrorCode) (r gateway.SendReason, text string, ok bool) {
	switch code {
	case codeUnknownChannel:
		return gateway.Gone, "Discord does not know the channel.", true
	case codeMissingAccess:
		return gateway.Gone, "The bot has no access to the channel.", true
	case codeCannotDM:
		return gateway.Gone, "The person takes no direct messages from the bot.", true
	case codeNoCommonServer:
		return gateway.Gone, "The person is in no server with the bot any more.", true
	case codeUnknownMessage:
		return gateway.Missing, "The message was deleted.", true
	case codeNotAuthor:
		return gateway.Missing, "The message can no longer be edited.", true
	case codeArchived: // what is said in a thread opens it again, but no edit does
		return gateway.Missing, "The thread is archived, so that its messages cannot be edited.", true
	case codeNoPermission:
		return gateway.Refused, "The bot lacks a permission in the channel.", true
	case codeNoHistory:
		return gateway.Refused, "The bot may not answer a message that it may not read. Give its role Read Message History.", true
	case codeLocked:
		return gateway.Refused, "The thread is locked.", true
	case codeModerated:
		return gateway.Refused, "The server's AutoMod blocks the text.", true
	case codeHarmfulLink:
		return gateway.Refused, "Discord takes a link in the text for a harmful one.", true
	case codeMessagesDisabled:
		return gateway.Temporary, "Discord takes no messages at the moment.", true
	}
	return 0, "", false
}

// explain makes a *gateway.SendError of the error of a request. Its text has nothing of
// the request: neither the token of the path nor the body. reached says that a connection
// was there.
func explain(err error, reached bool) error {
	if err == nil {
		return nil
	}
	if w, ok := errors.AsType[*waiting](err); ok {
		return &gateway.SendError{Reason: gateway.Limited, After: w.after, All: w.all, Text: "Discord asks to wait."}
	}
	// The library makes a nil error of the body "null". Its text is not used: it has the body,
	// and making it can panic.
	if e, ok := errors.AsType[*rest.Error](err); ok && e != nil {
		return explainAnswer(e)
	}
	cause := plain(err)
	if !reached {
		return &gateway.SendError{Reason: gateway.Temporary, Text: "Discord cannot be reached.", Err: cause}
	}
	return &gateway.SendError{Reason: gateway.Unknown, Text: "The connection to Discord broke.", Err: cause}
}

// plain is the cause of an error without the URL, which can have a token in it.
func plain(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return errNoAnswer
}

// errNoAnswer says that the answer of a request is not one of Discord's API.
var errNoAnswer = errors.New("the answer cannot be read")

// inThread is an error about a place. A thread is a channel of Discord: if that is gone, the channel
// around it may be there.
func inThread(at gateway.Place, err error) error {
	if at.Thread == "" || codeOf(err) != codeUnknownChannel {
		return err
	}
	return &gateway.SendError{Reason: gateway.NoThread, Text: "Discord does not know the thread.", Err: err}
}

func explainAnswer(e *rest.Error) error {
	status := e.Response.StatusCode
	cause := &answerError{status, int(e.Code), e.Message == ""}
	out := &gateway.SendError{Err: cause}
	switch reason, text, ok := meaning(e.Code); {
	case status == http.StatusTooManyRequests:
		limited(out, e)
	case status >= http.StatusInternalServerError:
		out.Reason, out.Text = failure(status), "Discord has a failure of its own."
	case cause.page && status != http.StatusRequestEntityTooLarge: // it speaks for no chat and no token
		out.Reason, out.Text = gateway.Temporary, fmt.Sprintf("A server before Discord answers with status %d.", status)
	case ok:
		out.Reason, out.Text = reason, text
	case status == http.StatusUnauthorized && e.Code != codeWebhookToken: // another token may help
		out.Reason, out.Text = gateway.Temporary, "Discord refuses the bot's token."
	case e.Code == codeInvalidForm && concernsText(e.Errors):
		out.Reason, out.Text = gateway.Malformed, "Discord cannot read the text."
	default:
		out.Reason, out.Text = gateway.Refused, fmt.Sprintf("Discord refuses the request (%v).", cause)
	}
	return out
}

// failure is what a failure of Discord means for a message. Only a server that says so has
// surely not taken the message: a proxy in front of it may have passed the request on.
func failure(status int) gateway.SendReason {
	if status == http.StatusServiceUnavailable {
		return gateway.Temporary
	}
	return gateway.Unknown
}

// limited fills in the wait that Discord asks for. The body has it with fractions.
func limited(out *gateway.SendError, e *rest.Error) {
	out.Reason, out.Text, out.All = gateway.Limited, "Discord asks to wait.", forAll(e.Response.Header)
	var body struct {
		After  float64 `json:"retry_after"`
		Global bool    `json:"global"`
	}
	if json.Unmarshal(e.RsBody, &body) == nil && body.After > 0 {
		out.After = time.Duration(min(body.After, maxWait.Seconds()) * float64(time.Second))
		out.All = out.All || body.Global
		return
	}
	out.After = max(seconds(e.Response.Header, "Retry-After"), time.Second)
}

// concernsText reports whether the errors of a form are about the content of the message.
func concernsText(list json.RawMessage) bool {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(list, &fields)
	return fields["content"] != nil
}

// answerError is what the log is told of an answer.
type answerError struct {
	status, code int
	page         bool // none of Discord's API, which always has a message
}

func (e *answerError) Error() string { return fmt.Sprintf("status %d, code %d", e.status, e.code) }

// codeOf is Discord's code of an error; 0 for none.
func codeOf(err error) int {
	if e, ok := errors.AsType[*answerError](err); ok {
		return e.code
	}
	return 0
}

// reasonOf is the reason of an error of the API.
func reasonOf(err error) gateway.SendReason {
	if e, ok := errors.AsType[*gateway.SendError](err); ok {
		return e.Reason
	}
	return gateway.Unknown
}

// refused is the error of what is not even asked of Discord.
func refused(text string) error {
	return &gateway.SendError{Reason: gateway.Refused, Text: text}
}
