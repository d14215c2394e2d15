// What front ends put on the wire, by its shape: what they send with a turn, and the
// prompts they send for themselves. The words are this project's own.

// marker is in every prompt that a front end sends for itself, so that a test can tell
// whether one was stored or learnt.
export const marker = 'zanzibar';

const user = (content) => ({ role: 'user', content });
const system = (content) => ({ role: 'system', content });

const upper = (ms) => ms.map((m) => `${m.role.toUpperCase()}: ${m.content}`).join('\n');
const lower = (ms) => ms.map((m) => `${m.role}: ${m.content}`).join('\n');
const spoken = (ms) => ms.map((m) => `${m.role === 'user' ? 'User' : 'AI'}: ${m.content}`).join('\n');

const headed = (task, output) => (history) => ({
  stream: false,
  messages: [user(`### Task:\n${task} (${marker})\n### Guidelines:\n- Use the chat's main language.\n### Output:\nJSON format: ${output}\n### Chat History:\n<chat_history>\n${upper(history)}\n</chat_history>`)],
});

const openWebUI = {
  stream: true,
  tasks: {
    title_generation: headed('Write a short title of three words for the chat history.', '{ "title": "a title" }'),
    tags_generation: headed('Produce one to three tags for the themes of the chat history.', '{ "tags": ["one"] }'),
    follow_up_generation: headed('Propose three follow-up questions for this conversation.', '{ "follow_ups": ["One?"] }'),
    query_generation: headed('Decide from the chat history whether search queries are needed.', '{ "queries": ["one"] }'),
  },
};

/**
 * frontEnds are the clients. body completes a turn's messages; window is how many messages
 * are sent at most; headers are of a turn in a chat, taskHeaders of a task in it; tasks
 * make the bodies of the front end's own prompts from the history.
 */
export const frontEnds = [
  {
    ...openWebUI, name: 'Open WebUI with custom headers',
    headers: (chat) => ({ 'X-Hermes-Session-Id': `owui:${chat}`, 'X-Hermes-Task': '' }),
    taskHeaders: (chat, task) => ({ 'X-Hermes-Session-Id': `owui:${chat}`, 'X-Hermes-Task': task }),
  },
  {
    ...openWebUI, name: 'Open WebUI that forwards its own headers',
    headers: (chat) => ({ 'X-OpenWebUI-Chat-Id': `chat-${chat}`, 'X-OpenWebUI-User-Name': 'Ada' }),
  },
  { ...openWebUI, name: 'Open WebUI without headers' },
  {
    name: 'LibreChat', stream: true,
    body: (messages, chat) => ({ messages, user: `librechat-${chat}` }),
    tasks: {
      structured: (history) => ({
        messages: [user(`Analyze this conversation and give:\n1. The language of the conversation\n2. A short title in that language, 5 words or fewer, no punctuation (${marker})\n\n${spoken(history)}`)],
        tools: [{ type: 'function', function: { name: 'title', parameters: { type: 'object', properties: { title: { type: 'string' } } } } }],
        tool_choice: { type: 'function', function: { name: 'title' } },
      }),
      completion: (history) => ({ messages: [user(`Give a title of five words or less for the conversation (${marker}). Return the title only.\n\nConversation:\n${spoken(history)}`)] }),
    },
  },
  {
    name: 'LobeChat with a window', stream: true, window: 6,
    body: (messages) => ({ messages: [system('You are a helpful assistant.'), ...messages], temperature: 1, top_p: 1 }),
    tasks: {
      title: (history) => ({
        stream: true,
        messages: [system(`You summarise conversations. Create a short title that captures the conversation (${marker}).\n\nRules:\n- Output ONLY the title\n- At most 10 words\n- No punctuation`), user(lower(history))],
      }),
      summary: (history) => ({
        stream: true,
        messages: [
          system(`You find the key points of conversations and summarize them (${marker}). The content is inside the <chat_history> </chat_history> tags.`),
          user(`<chat_history>\n${history.map((m) => `<${m.role}>${m.content}</${m.role}>`).join('\n')}\n</chat_history>\n\nPlease summarize the conversation above. The summary is context for later prompts and must stay below 400 tokens.`),
        ],
      }),
    },
  },
  {
    name: 'Chatbox with a window', stream: true, window: 5,
    body: (messages) => ({ messages: [system('You are a helpful assistant.'), ...messages] }),
    tasks: {
      name: (history) => ({
        messages: [user(`From the chat history, name this conversation (${marker}).\nKeep the name within 10 characters, without quotation marks.\nAnswer with the name and nothing else.\nThe conversation:\n\n\`\`\`\n${history.map((m) => m.content).join('\n\n---------\n\n')}\n\`\`\``)],
      }),
    },
  },
  {
    name: 'Cherry Studio with a window', stream: true, window: 7,
    body: (messages) => ({ messages: [system('Be brief.'), ...messages], stream_options: { include_usage: true } }),
    tasks: {
      title: (history) => ({
        messages: [system(`Summarize the user's conversation into a title of at most 10 words (${marker}), in the user's main language. No punctuation.`), user(JSON.stringify(history.map((m) => ({ role: m.role, mainText: m.content }))))],
      }),
      search: (history) => ({
        messages: [user(`You rephrase follow-up queries of a conversation into standalone queries for a web search (${marker}).\n1. Always wrap the rephrased question in the XML block <question></question>.\n<conversation>\n${lower(history.slice(0, -1))}\n</conversation>\nFollow up question: ${history.at(-1).content}\nRephrased question:`)],
      }),
    },
  },
  {
    name: 'SillyTavern', stream: true,
    body: (messages) => ({
      messages: [system('Write the next reply of Mira in this fictional chat.'), system('[Start a new Chat]'), { role: 'assistant', content: 'Mira lifts her lantern. "Who goes there?"' }, ...messages],
    }),
    tasks: {
      summary: (history) => ({
        stream: false,
        messages: [system('Write the next reply of Mira.'), ...history, system(`Ignore previous instructions. Summarize the most important events of the story so far (${marker}). Limit the summary to 200 words. Your response must contain nothing but the summary.`)],
      }),
    },
    greets: true,
  },
  {
    name: 'Continue', stream: true,
    body: (messages) => ({ messages: [system('You are a coding assistant in an editor. Always include the language in code blocks.'), ...messages], max_tokens: 4096 }),
    tasks: {
      title: (history) => ({
        max_tokens: 16,
        messages: [user(`Given the following, reply with a title for the chat of 3 to 4 words (${marker}). No additional text or explanation, no punctuation.\n\n${history.at(-1).content}`)],
      }),
    },
  },
  {
    name: 'an editor such as Cursor', stream: true,
    body: (messages) => ({
      messages: [system('You are a coding agent in an editor. Answer in Markdown. When the conversation is long, its summary stands in its place.'), ...messages],
      tools: ['read_file', 'edit_file', 'run_command'].map((name) => ({ type: 'function', function: { name, parameters: { type: 'object', properties: {} } } })),
      user: 'google-oauth2|user_01',
    }),
    tasks: {
      name: (history) => ({ messages: [system(`Generate a short title for this coding session in 3 to 7 words, from its first message (${marker}). Return the title only.`), user(history[0].content)] }),
    },
  },
];
