// The answers of the scripted model server in Anthropic's format.

const stop = (step) => step.stop ?? (step.toolCalls ? 'tool_use' : 'end_turn');
const usage = ({ input, output } = { input: 1, output: 1 }) => ({ input_tokens: input, output_tokens: output });

function blocks(step) {
  const out = [];
  if (step.reasoning) out.push({ type: 'thinking', thinking: step.reasoning, signature: 'sig' });
  const text = step.text ?? step.chunks?.join('') ?? '';
  if (text) out.push({ type: 'text', text });
  for (const { id, name, args } of step.toolCalls ?? []) out.push({ type: 'tool_use', id, name, input: args });
  return out;
}

/** message is a whole answer. */
export function message(body, step) {
  return {
    id: 'msg_scripted', type: 'message', role: 'assistant', model: body.model, content: blocks(step),
    stop_reason: stop(step), stop_sequence: step.stopSequence ?? null, usage: usage(step.usage),
  };
}

/** sendMessageStream tells an answer as events. */
export function sendMessageStream(response, body, step) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const event = (type, data) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  const whole = message(body, step);
  event('message_start', { message: { ...whole, content: [], stop_reason: null } });
  for (const [index, block] of whole.content.entries()) {
    const [open, deltas] = opened(block, step);
    event('content_block_start', { index, content_block: open });
    for (const delta of deltas) event('content_block_delta', { index, delta });
    event('content_block_stop', { index });
  }
  if (step.breaks) {
    event('error', { error: step.breaks });
    return response.end();
  }
  event('message_delta', { delta: { stop_reason: whole.stop_reason, stop_sequence: whole.stop_sequence }, usage: whole.usage });
  event('message_stop', {});
  return response.end();
}

// opened is a block as it begins, and the deltas that fill it.
function opened(block, step) {
  switch (block.type) {
    case 'thinking':
      return [{ ...block, thinking: '', signature: '' }, [{ type: 'thinking_delta', thinking: block.thinking }, { type: 'signature_delta', signature: block.signature }]];
    case 'tool_use': {
      const json = JSON.stringify(block.input);
      const half = Math.floor(json.length / 2);
      return [{ ...block, input: {} }, [json.slice(0, half), json.slice(half)].map((partial_json) => ({ type: 'input_json_delta', partial_json }))];
    }
    default:
      return [{ ...block, text: '' }, (step.chunks ?? [block.text]).map((text) => ({ type: 'text_delta', text }))];
  }
}
