package whatsapp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// refusal is an answer of the API without a result. It keeps nothing of the answer's words:
// they may name a person.
type refusal struct {
	status     int // HTTP; 0 for a refusal that came in a status
	code       int
	subcode    int
	transient  bool
	retryAfter time.Duration
	// page says that the answer was none of the API, but one of a proxy, say.
	page bool
}

// wireError is an error as the API writes it.
type wireError struct {
	Code      int  `json:"code"`
	Subcode   int  `json:"error_subcode"`
	Transient bool `json:"is_transient"`
}

// Error returns the text for logs.
func (r *refusal) Error() string {
	switch {
	case r.page:
		return fmt.Sprintf("a page with status %d instead of an answer of WhatsApp", r.status)
	case r.subcode != 0:
		return fmt.Sprintf("WhatsApp refused with code %d (%d)", r.code, r.subcode)
	}
	return fmt.Sprintf("WhatsApp refused with code %d", r.code)
}

// readRefusal reads an answer without a result; nil if there is a result.
func readRefusal(status int, retryAfter string, body []byte) *refusal {
	r := &refusal{status: status}
	if n, err := strconv.Atoi(retryAfter); err == nil {
		r.retryAfter = time.Duration(min(max(n, 0), maxWaitSeconds)) * time.Second
	}
	var answer struct {
		Error *wireError `json:"error"`
	}
	good := status >= http.StatusOK && status < http.StatusMultipleChoices
	switch err := json.Unmarshal(body, &answer); {
	case err != nil:
		r.page = true
	case answer.Error != nil:
		r.code, r.subcode, r.transient = answer.Error.Code, answer.Error.Subcode, answer.Error.Transient
		if r.code == 0 && status == http.StatusUnauthorized {
			r.code = codeToken
		}
	case good:
		return nil
	default:
		r.page = true
	}
	return r
}

// The codes that are handled apart.
const (
	codeToken  = 190    // the token is refused
	codePair   = 131056 // too many messages to one person
	codeClosed = 131047 // more than 24 hours since the person's last message
	codeGone   = 131026 // the message cannot reach the person
)

// fatal reports whether the token is refused.
func (r *refusal) fatal() bool { return r.code == codeToken }

// verdict is what a code means for a message.
type verdict struct {
	reason gateway.SendReason
	text   string
	all    bool // the whole number has to wait
}

// verdicts are the codes whose meaning is known.
func verdicts() map[int]verdict {
	const wait = "WhatsApp asks to wait."
	const token = "WhatsApp refuses the access token. Make a new one, and set platforms.whatsapp.access_token."
	const permission = "The access token lacks a permission: it needs whatsapp_business_messaging."
	// The operator can mend the token: until then no message of it is lost.
	return map[int]verdict{
		codeToken:  {reason: gateway.Temporary, text: token},
		3:          {reason: gateway.Temporary, text: permission},
		10:         {reason: gateway.Temporary, text: permission},
		200:        {reason: gateway.Temporary, text: permission},
		131005:     {reason: gateway.Temporary, text: permission},
		codeClosed: {reason: gateway.Closed, text: "WhatsApp takes only an answer now: the person's last message is older than 24 hours."},
		codePair:   {reason: gateway.Limited, text: wait},
		4:          {reason: gateway.Limited, text: wait, all: true},
		80007:      {reason: gateway.Limited, text: wait, all: true},
		130429:     {reason: gateway.Limited, text: wait, all: true},
		131048:     {reason: gateway.Limited, text: "WhatsApp limits the number, because people have reported its messages.", all: true},
		codeGone:   {reason: gateway.Gone, text: "The message cannot reach the person: the number has no WhatsApp, or has blocked this one."},
		2:          {reason: gateway.Temporary, text: "WhatsApp is not available."},
		131016:     {reason: gateway.Temporary, text: "WhatsApp is not available."},
		131057:     {reason: gateway.Temporary, text: "The WhatsApp account is in maintenance."},
		1:          {reason: gateway.Unknown, text: "WhatsApp failed, and does not say why."},
		131000:     {reason: gateway.Unknown, text: "WhatsApp failed, and does not say why."},
		368:        {reason: gateway.Refused, text: "The WhatsApp account is blocked for a time. Meta's Business Manager says why."},
		130497:     {reason: gateway.Refused, text: "The WhatsApp account may not write to people in this country."},
		131021:     {reason: gateway.Refused, text: "WhatsApp sends no message from a number to itself."},
		131030:     {reason: gateway.Refused, text: "The number is not among the allowed test numbers. Add it in the app's settings at Meta."},
		131031:     {reason: gateway.Refused, text: "The WhatsApp account is locked. Meta's Business Manager says why."},
		131042:     {reason: gateway.Refused, text: "The WhatsApp account has no way to pay. Set one in Meta's Business Manager."},
		131049:     {reason: gateway.Refused, text: "WhatsApp did not deliver the message, to spare the person."},
		131050:     {reason: gateway.Refused, text: "The person takes no such messages of this number."},
		131051:     {reason: gateway.Refused, text: "WhatsApp does not take this kind of message here."},
		131052:     {reason: gateway.Refused, text: "WhatsApp could not take the file."},
		131053:     {reason: gateway.Refused, text: "WhatsApp could not take the file."},
		132001:     {reason: gateway.Refused, text: "The template does not exist in this language. See platforms.whatsapp.template."},
		132015:     {reason: gateway.Refused, text: "Meta has paused the template, because people have reported it."},
		132016:     {reason: gateway.Refused, text: "Meta has disabled the template. Set another one in platforms.whatsapp.template."},
		133010:     {reason: gateway.Refused, text: "The phone number is not registered at the Cloud API."},
	}
}

// verdict is what a refusal means for a message.
func (r *refusal) verdict() verdict {
	if r.page {
		return r.pageVerdict()
	}
	if v, ok := verdicts()[r.code]; ok {
		return v
	}
	switch {
	case r.code > 200 && r.code < 300:
		return verdicts()[200]
	case r.status == http.StatusTooManyRequests:
		return verdicts()[4]
	case r.transient:
		return verdict{reason: gateway.Temporary, text: fmt.Sprintf("WhatsApp is not available: code %d.", r.code)}
	case r.status >= http.StatusInternalServerError:
		return verdict{reason: gateway.Unknown, text: fmt.Sprintf("WhatsApp failed with code %d.", r.code)}
	}
	return verdict{reason: gateway.Refused, text: fmt.Sprintf("WhatsApp refuses the message with code %d.", r.code)}
}

// pageVerdict is what a page instead of an answer means. Behind some proxies the message
// may have been taken.
func (r *refusal) pageVerdict() verdict {
	switch {
	case r.status == http.StatusServiceUnavailable:
		return verdict{reason: gateway.Temporary, text: "WhatsApp is not available."}
	case r.status == http.StatusTooManyRequests:
		return verdicts()[4]
	case r.status == http.StatusRequestEntityTooLarge:
		return verdict{reason: gateway.Refused, text: "The file is too large for WhatsApp."}
	case r.status >= http.StatusInternalServerError, r.status < http.StatusMultipleChoices:
		return verdict{reason: gateway.Unknown, text: fmt.Sprintf("WhatsApp failed with status %d.", r.status)}
	}
	return verdict{reason: gateway.Temporary, text: fmt.Sprintf("A server before WhatsApp answers with status %d.", r.status)}
}
