// The types that the modules of the page share. Browsers are not sent them: the comments of
// the modules name them, and the TypeScript compiler checks both.

/** A node to be drawn. */
interface VNode {
  /** The element, "svg:rect" for SVG, "" for text, "*" for a ready element. */
  tag: string;
  props: Props;
  kids: VNode[];
  /** What tells siblings apart. */
  key: any;
  text?: string;
  /** The drawn node. */
  el: any;
}

/** Attributes, listeners (onclick), and class, value, css, ref. */
type Props = {
  [listener: `on${string}`]: ((event: any) => any) | null | undefined | false;
  ref?: (el: any) => void;
  [attribute: string]: unknown;
};

/** What is drawn; a list holds others. */
type Kid = VNode | string | number | boolean | null | undefined | any[];

/** Who is signed in. */
interface Me {
  actor: string;
  owner: string;
  key: string | null;
  scopes: string[];
  development: boolean;
}

/** What the address names. */
interface Route {
  place: string;
  path: string[];
  /** Whether it names something yet to be made, and not a thing with the id "new". */
  fresh: boolean;
  query: Record<string, string>;
}

interface Place {
  id: string;
  name: string;
  /** The scope that a key needs for it. */
  scope: string;
  /** The letter behind g. */
  key?: string;
  /** Under More on a small screen. */
  minor?: boolean;
  /** Not in the list of places. */
  hidden?: boolean;
  open: () => any;
}

/** A place on view. */
type OnView = import('./page/js/screen.js').Screen & {
  list?: () => Kid;
  content: () => Kid;
  panel?: () => Kid;
  closePanel?: () => void;
  keys?: Record<string, () => void>;
};

/** How a request is sent. */
interface Options {
  query?: Record<string, any>;
  body?: any;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** Without signing in when it is needed. */
  bare?: boolean;
  /** The key or token to use in place of the kept one; "" for none. */
  as?: string;
}

interface ServerEvent {
  id: string;
  type: string;
  data: any;
}

/** A stream of events to read. */
interface Feed {
  path: string;
  query?: Record<string, any>;
  /** True ends the feed. */
  tell: (event: ServerEvent) => boolean | void;
  failed?: (problem: any) => void;
  /** Of what listens for changes: it had to wait, and may have missed some. */
  late?: () => void;
}

/** A page of a list. */
interface Paged<T> {
  data: T[];
  has_more?: boolean;
  next_cursor?: string | null;
  counts?: any;
}

/** Whose memory. */
interface Scope {
  session_id?: string;
  session_key?: string;
}

interface Inline {
  type: string;
  text?: string;
  href?: string;
  inlines?: Inline[];
}

interface Block {
  type: string;
  level?: number;
  ordered?: boolean;
  start?: number;
  tight?: boolean;
  checked?: boolean;
  language?: string;
  text?: string;
  inlines?: Inline[];
  blocks?: Block[];
  align?: string[];
  header?: Inline[][];
  rows?: Inline[][][];
  /** Of a row of a table. */
  cells?: Inline[][];
}

/** A block that is in the document. */
interface Drawn {
  block: Block;
  inside: Drawn[];
  /** Whether all that is in it was drawn. */
  whole: boolean;
}

/** A region of an answer as it comes. */
interface Region {
  el: HTMLElement;
  /** What it shows. */
  list: Block[];
  /** What of that is in the document. */
  drawn: Drawn[];
  /** The frame that draws more. */
  next: number;
}

interface Message {
  id: number;
  seq: number;
  session_id: string;
  role: string;
  name?: string;
  content: string;
  nodes?: Block[];
  tool_calls?: any;
  tool_name?: string;
  created_at: string;
  finish_reason?: string;
  undone_at?: string;
  content_length?: number;
  receipt_id?: string;
  context?: any;
  responder?: any;
  model?: string;
}

/** What can be done with a message. */
interface Doing {
  root: string;
  why: (receipt: string) => void;
  fork: (m: Message) => void;
  /** What a run has said about its answer. */
  hermes: (m: Message) => any;
  /** The run that should have answered, and has not. */
  lost: (m: Message) => any;
  /** Says a text once more. */
  again: (text: string) => Promise<void>;
}

/** What the menu of a session does to what is on view. */
interface Hooks {
  reload: () => void;
  goTo: () => void;
  taken: () => void;
  anew: () => void;
  undone: boolean;
}

/** How far forgetting has got. */
interface Step {
  /** about, session_id or session_key */
  what: string;
  word: string;
  /** What would go. */
  count: any;
  /** Whether the word was typed. */
  sure: boolean;
  certificate: any;
  problem: any;
  busy: boolean;
}
