package mention

import (
	"strings"
	"sync"
)

// Words of the protocols stand in every stored request and record. They are no mention
// of a thing, and a record without them could not be read again. Only a whole string
// counts as such a word: "Function" within a text does not.
const (
	// protocolMarks are values in JSON, and fields of messages and sessions.
	protocolMarks = `
	user assistant system developer tool function custom message text refusal error
	input_text output_text input_image image_url input_file file input_audio audio video summary_text reasoning thinking redacted_thinking
	function_call function_call_output custom_tool_call custom_tool_call_output item_reference tool_use tool_result
	stop length tool_calls content_filter cancelled done failed incomplete partial in_progress completed queued started running stopping
	interrupted retry interrupt background enabled disabled auto none required low medium high minimal default flex priority ephemeral
	string number integer boolean array object null true false json_object json_schema
	api_server cli cron import terminal compression reset user_exit derived model person upstream recall hermes hermes-recall
	fact decision preference instruction identity event cause note echo plain
	chat.completion chat.completion.chunk response list hermes.run conversation`
	// protocolNames are names of members.
	protocolNames = `
	_lineage_root_id action after all allowed_tools annotations answer approvals approve approved arguments asserted at attempt attempts
	audio background because body budget budget_tokens bytes cache_control cached_tokens call_id catch_up checked choices client_tokens code
	completed_at completion_tokens completion_tokens_details compressed concurrent_turns content context conversation created created_at
	data date deadline deliver delivered delta description detail details developer dry_run effort encrypted_content end_reason end_seq
	ended_at enum error errors event_id fact_id facts failed failing file file_data file_id file_url filename finish_reason finished_at
	first_id first_seq format from frequency_penalty from_seq function function_call functions has_more hash hermes id idempotency
	image_url include include_usage incomplete_details index input input_audio input_text input_to input_tokens input_tokens_details
	instructions item item_id item_reference items job_id job_name json_schema key key_id keys kind last_id learned limit
	lineage_root_id links logit_bias logprobs max_completion_tokens max_output_tokens max_tokens max_tool_calls memory message
	message_id messages metadata modalities model models n naive_tokens name nameless no_fallback no_recall note now object on_restart outcome
	output output_index output_text output_tokens output_tokens_details owner parallel_tool_calls param parameters parent_session_id
	partial path prediction presence_penalty previous_response_id prompt prompt_cache_key prompt_tokens prompt_tokens_details properties
	quote reason reasoning reasoning_content reasoning_effort reasoning_tokens recalled receipt receipt_id recorded_at
	refusal request_id required responder response response_format result results retry_after reversals role run_id safety_identifier
	schema scopes seed sent sent_tokens seq sequence_number service_tier session session_id session_key signature source speaker
	started_at state statement status stop store stream stream_options strict subject summary system system_prompt tail target
	temperature text thinking timestamp title to tokens token_count tool_call_id tool_calls tool_choice tool_name tools top_logprobs
	top_p total_tokens truncation turns turns_ago type updated_at url usage usage_estimated used user user_id value values verbosity
	version was when why`
)

// protocolWords are both sets together, because a name may also be a value.
var protocolWords = sync.OnceValue(func() (sets struct{ marks, names map[string]bool }) {
	sets.marks, sets.names = make(map[string]bool), make(map[string]bool)
	for w := range strings.FieldsSeq(protocolMarks) {
		sets.marks[w], sets.names[w] = true, true
	}
	for w := range strings.FieldsSeq(protocolNames) {
		sets.names[w] = true
	}
	return sets
})

// isProtocol reports whether a string of a JSON text is a word of the protocol.
func isProtocol(text string, name bool) bool {
	if name {
		return protocolWords().names[text]
	}
	return protocolWords().marks[text]
}

// InWords reports whether a text of protocol words and ids, such as the reason why an
// answer ended, names the thing outside the protocol words.
func (t *Thing) InWords(text string) bool {
	if !t.In(text) {
		return false
	}
	var others []string
	for w := range strings.FieldsSeq(text) {
		if !isProtocol(w, false) {
			others = append(others, w)
		}
	}
	return t.In(strings.Join(others, " "))
}

// BlotWords removes the thing from a text of protocol words and ids: letters become
// "x".
func (t *Thing) BlotWords(text string) (string, int) {
	if !t.InWords(text) {
		return text, 0
	}
	clean, _ := t.blot(text)
	return clean, 1
}
