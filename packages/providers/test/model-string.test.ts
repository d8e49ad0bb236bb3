/** The grammar of model strings, options, keys, and where the houses' own endpoints are. */
import { describe, expect, it, vi } from 'vitest';
import { keyFor, resolveModel, type ModelOptions } from '../src/index.js';
import { faultOf } from './exchange.js';

const apiKey = 'key-of-a-test';

/** Where a request of that model goes, and with which headers. */
async function sentBy(
  model: string,
  options: ModelOptions = {},
): Promise<{ url: string; headers: Headers; body: any }> {
  const fetch = vi.fn<typeof globalThis.fetch>(async () => new Response('no', { status: 400 }));
  const port = await resolveModel(model, { ...options, fetch });
  expect(fetch).not.toHaveBeenCalled();
  await faultOf(port);
  const [input, init] = fetch.mock.calls[0]!;
  const request = new Request(input, init);
  return { url: request.url, headers: request.headers, body: await request.json() };
}

const refusal = (model: unknown, options?: unknown): Promise<any> =>
  resolveModel(model as string, options as ModelOptions).then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a model string', () => {
  it.each([
    ['openai-compatible:qwen3:8b@http://127.0.0.1:11434/v1', 'qwen3:8b', 'http://127.0.0.1:11434/v1/chat/completions'],
    ['openai-compatible:org/model@https://host/api/v1/', 'org/model', 'https://host/api/v1/chat/completions'],
    ['openai-compatible:@cf/meta/llama@HTTPS://host/v1//', '@cf/meta/llama', 'https://host/v1/chat/completions'],
    ['openai-compatible:m@http://[::1]:8080', 'm', 'http://[::1]:8080/chat/completions'],
    ['openai:gpt-4.1', 'gpt-4.1', 'https://api.openai.com/v1/chat/completions'],
    ['openai:gpt-4.1@http://proxy/openai/v1', 'gpt-4.1', 'http://proxy/openai/v1/chat/completions'],
    ['anthropic:claude-sonnet-4-5', 'claude-sonnet-4-5', 'https://api.anthropic.com/v1/messages'],
    ['anthropic:claude-sonnet-4-5@http://proxy/v1', 'claude-sonnet-4-5', 'http://proxy/v1/messages'],
  ])('%s names the id and the endpoint', async (model, id, url) => {
    const sent = await sentBy(model, { apiKey });
    expect(sent.url).toBe(url);
    expect(sent.body.model).toBe(id);
    const port = await resolveModel(model, { apiKey });
    expect(port).toMatchObject({ provider: model.split(':')[0], modelId: id, specificationVersion: 'v3' });
  });

  it.each([
    ['gpt-4.1', 'it names no provider: write openai-compatible:<id>@<base url>, openai:<id>[@<base url>]'],
    ['', 'it names no provider'],
    [':gpt', 'it names no provider'],
    ['opanai:gpt', "there is no provider 'opanai': did you mean 'openai'? Write openai:<id>"],
    ['OpenAI:gpt', "did you mean 'openai'?"],
    ['antropic:claude', "did you mean 'anthropic'? Write anthropic:<id>"],
    ['openai-compatable:m@http://h/v1', "did you mean 'openai-compatible'? Write openai-compatible:<id>@<base url>"],
    ['ollama:qwen3', "there is no provider 'ollama': write openai-compatible:<id>@<base url>, "],
    ['openai:', 'it names no model id: write openai:<id>'],
    ['openai-compatible:@http://h/v1', 'it names no model id'],
    ['openai:gpt 4', "its id 'gpt 4' holds a blank"],
    ['openai-compatible:qwen3', 'it names no base URL: write openai-compatible:<id>@<base url>, such as'],
    [
      'openai-compatible:qwen3@127.0.0.1:11434/v1',
      "behind the '@' stands no URL: write openai-compatible:<id>@http://",
    ],
    ['openai:gpt-4.1@localhost:8080/v1', "behind the '@' stands no URL: write openai:<id>@http://<host>:<port>/v1"],
    ['openai:gpt@ftp://h/v1', "its base URL begins with 'ftp:'"],
    ['openai:gpt@http://', "'http://' is no URL"],
    ['openai:gpt@http://h:99999/v1', "'http://h:99999/v1' is no URL"],
    ['openai:gpt@http://h/v1/chat/completions', "its base URL ends in '/chat/completions', which is added to it"],
    ['anthropic:c@http://h/v1/messages/', "its base URL ends in '/messages'"],
  ])('%j is refused with its fault and its mend', async (model, what) => {
    const error = await refusal(model, { apiKey });
    expect(error).toMatchObject({ name: 'HookError', code: 'TH_MODEL_INVALID' });
    expect(error.message).toContain(`'${model}' is no model: `);
    expect(error.message).toContain(what);
    expect(error.message).not.toContain('\n');
  });

  it.each([
    'openai:gpt@http://user:s3cret@host/v1',
    'openai:gpt@http://s3cret@host/v1',
    'openai:gpt@http://user:pa/s3cret@host/v1',
    'openai:gpt@https://host/v1?key=s3cret',
    'openai:gpt@https://host/v1#s3cret',
    'openai:gpt@ftp://user:s3cret@host/v1?key=s3cret',
  ])('a secret in the URL is refused and not repeated: %s', async (model) => {
    const error = await refusal(model, { apiKey });
    expect(error.code).toBe('TH_MODEL_INVALID');
    expect(`${error.message} ${JSON.stringify(error)}`).not.toContain('s3cret');
  });

  it.each([undefined, null, 7, {}, Symbol('gpt')])('%s is no model', async (model) => {
    expect(await refusal(model)).toMatchObject({ code: 'TH_MODEL_INVALID' });
  });
});

describe('options of a model', () => {
  it.each([
    [{ apikey: 'x' }, "there is no option 'apikey': did you mean 'apiKey'?"],
    [{ retries: 3 }, "there is no option 'retries': use apiKey, headers, fetch"],
    [{ apiKey: 7 }, '`apiKey` is no text'],
    [{ apiKey: 'a\nb' }, '`apiKey` holds a character that no header can carry'],
    [{ apiKey, headers: 'x' }, '`headers` is no map of texts'],
    [{ apiKey, headers: { 'x y': 'z' } }, "the header 'x y' has a name or a value that cannot be sent"],
    [{ apiKey, headers: { x: 7 } }, "the header 'x' has a name or a value that cannot be sent"],
    [{ apiKey, fetch: 'x' }, '`fetch` is no function'],
  ])('%j is refused', async (options, what) => {
    const error = await refusal('openai:gpt', options);
    expect(error).toMatchObject({ code: 'TH_MODEL_INVALID' });
    expect(error.message).toContain(what);
  });

  it('the houses’ own endpoints want a key, and the refusal names its variable', async () => {
    expect((await refusal('openai:gpt')).message).toContain('OPENAI_API_KEY');
    expect((await refusal('anthropic:claude', { apiKey: '' })).message).toContain('ANTHROPIC_API_KEY');
    const { headers } = await sentBy('anthropic:claude', { headers: { Authorization: 'Bearer a-token-1' } });
    expect(headers.get('authorization')).toBe('Bearer a-token-1');
    expect(headers.has('x-api-key')).toBe(false);
  });

  it.each(['authorization', 'Authorization', 'AUTHORIZATION'])(
    'a header of the host stands in place of its namesake (%s)',
    async (name) => {
      for (const model of ['openai:gpt', 'openai-compatible:m@http://h/v1']) {
        const { headers } = await sentBy(model, { apiKey, headers: { [name]: 'Bearer other-1' } });
        expect(headers.get('authorization')).toBe('Bearer other-1');
      }
    },
  );
});

describe('the key of a provider', () => {
  const env = { OPENAI_API_KEY: ' sk-1\n', ANTHROPIC_API_KEY: 'sk-2', TREBLEHOOK_API_KEY: '' };

  it('is found by name or by model string, without the blanks around it', () => {
    expect(keyFor('openai', env)).toBe('sk-1');
    expect(keyFor('anthropic:claude', env)).toBe('sk-2');
  });

  it('of one provider is never given to another, nor to an unknown one', () => {
    expect(keyFor('openai-compatible:m@http://h/v1', env)).toBeUndefined();
    expect(keyFor('openai-compatible', { ...env, TREBLEHOOK_API_KEY: 'own' })).toBe('own');
    const own = { ...env, TREBLEHOOK_API_KEY: 'own' };
    for (const url of [
      'http://h/v1',
      'http://api.openai.com/v1',
      'https://api.openai.com.evil.example/v1',
      'ftp://x',
    ]) {
      expect(keyFor(`openai:gpt@${url}`, env)).toBeUndefined();
      expect(keyFor(`anthropic:claude@${url}`, env)).toBeUndefined();
      expect(keyFor(`openai:gpt@${url}`, own)).toBe('own');
    }
    expect(keyFor('anthropic:claude@https://api.openai.com/v1', env)).toBeUndefined();
    expect(keyFor('openai:gpt@https://user@evil.example/https://api.openai.com', env)).toBeUndefined();
    expect(keyFor('openai:gpt@https://api.openai.com/v1', own)).toBe('sk-1');
    expect(keyFor('anthropic:claude@https://api.anthropic.com/v1', own)).toBe('sk-2');
    expect(keyFor('opanai:gpt', env)).toBeUndefined();
    expect(keyFor('', env)).toBeUndefined();
  });
});
