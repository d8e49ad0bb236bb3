// Owns the laws of fetch_url: where it connects, what it sends, what it tells; over real sockets of this machine.
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { mayConnect, rangesOf } from '../src/address.js';
import { fetchUrlTool, type FetchOptions, type ResolveHost } from '../src/index.js';
import { body, refusal, run, sealed } from './run-tool.js';

const servers: { close: () => unknown; closeAllConnections?: () => void }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections?.();
    server.close();
  }
});

async function listening(listener: RequestListener, host = '127.0.0.1') {
  const server: Server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://${host.includes(':') ? `[${host}]` : host}:${port}/` };
}
const loopback: FetchOptions = { allow: ['127.0.0.0/8', '::1'] };
const at =
  (address: string): ResolveHost =>
  (_, done) =>
    done(null, [{ address, family: address.includes(':') ? 6 : 4 }]);
const get = (args: object, options: FetchOptions = loopback, signal?: AbortSignal) =>
  run(fetchUrlTool(options), args, signal);

describe('where it connects', () => {
  it.each([
    'http://127.0.0.1/',
    'http://localhost/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://0/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[fe80::1]/',
    'http://[fd00::1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://10.0.0.1/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://100.64.0.1/',
    'http://0.0.0.0/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://①②⑦.0.0.1/',
    'http://127.0.0.1.:80/',
    'http://127.0.0.1%2f@example.org/',
  ])('%s is refused, by the schema and past it, and nothing is sent', async (url) => {
    for (const use of [run, body]) {
      const { message } = await refusal(use(fetchUrlTool({ timeoutMs: 3_000 }), { url, method: 'GET' }));
      expect(message).toMatch(
        /is no public address|write the address as|leave (?:it )?out|no percent-encoding|no host/,
      );
    }
  });

  it('a public address in another base is to be written as what it is', async () => {
    for (const url of ['http://0x08080808/', 'http://8.8.2056/', 'http://010.8.8.8/']) {
      await expect(get({ url }), url).rejects.toThrow(/write the address as '8\.8\.8\.8'/);
    }
  });

  it('a name is judged by each address that it has, and the connection goes to none but those', async () => {
    let asked = 0;
    const { port } = await listening((_, response) => response.end(String(++asked)));
    const url = `http://inside.example:${port}/`;
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '169.254.169.254', '10.1.2.3', 'fe80::1%eth0']) {
      expect(await refusal(get({ url }, { resolve: at(address) })), address).toMatchObject({
        code: 'address',
        message: expect.stringContaining(`'inside.example' is at ${address}`),
      });
    }
    const mixed: ResolveHost = (_, done) =>
      done(null, [
        { address: '8.8.8.8', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ]);
    expect(await refusal(get({ url }, { resolve: mixed }))).toMatchObject({ code: 'address' });
    expect(asked).toBe(0);
    expect((await get({ url }, { ...loopback, resolve: at('127.0.0.1') })).output).toBe('HTTP 200 OK; 1 bytes\n\n1');
  });

  it('a name is resolved once: one that changes its address in between gains nothing', async () => {
    let there = '';
    const { port } = await listening((request, response) => {
      there = String(request.socket.localAddress);
      response.end('ok');
    }, '0.0.0.0');
    let times = 0;
    const rebinding: ResolveHost = (host, done) => at(times++ === 0 ? '127.0.0.1' : '127.0.0.2')(host, done);
    const options = { allow: ['127.0.0.1'], resolve: rebinding };
    await get({ url: `http://rebind.example:${port}/` }, options);
    expect([times, there]).toEqual([1, '127.0.0.1']);
    expect(await refusal(get({ url: `http://rebind.example:${port}/` }, options))).toMatchObject({ code: 'address' });
  });

  it.each([
    ['127.0.0.1', false],
    ['8.8.8.8', true],
    ['172.15.255.255', true],
    ['172.32.0.0', true],
    ['192.0.2.1', false],
    ['198.18.0.1', false],
    ['::ffff:8.8.8.8', false],
    ['2606:4700::1111', true],
    ['2001:db8::1', false],
    ['2001::1', false],
    ['2002:808:808::', false],
    ['64:ff9b::808:808', false],
    ['fc00::1', false],
    ['ff02::1', false],
    ['::', false],
    ['', false],
    ['localhost', false],
  ])('%j is public: %s', (address, isPublic) => {
    expect(mayConnect(address, rangesOf([]))).toBe(isPublic);
  });
});

describe('what it takes for a URL', () => {
  it.each([
    ['file:///etc/passwd', /only URLs with 'http:\/\/'/],
    ['ftp://example.org/', /only URLs with/],
    ['data:text/plain,x', /only URLs with/],
    ['javascript:alert(1)', /only URLs with/],
    ['http:example.org', /only URLs with/],
    ['http:///example.org', /only URLs with/],
    ['//example.org/', /only URLs with/],
    ['example.org', /only URLs with/],
    ['http://user@example.org/', /user in front of '@'/],
    ['http://user:secret@example.org/', /user in front of '@'/],
    ['http://example.org@127.0.0.1/', /user in front of '@'/],
    ['http://example.org\\@127.0.0.1/', /backslash/],
    ['http://exa mple.org/', /white space/],
    ['http://example.org/a\nb', /white space, control character/],
    ['http://ex%61mple.org/', /no percent-encoding/],
    ['http://example.org./', /leave out the dot/],
    ['http://example.org:99999/', /this is no URL/],
    [`http://example.org/${'a'.repeat(9_000)}`, /at most 8192 characters/],
  ])('%s is refused with the mend', async (url, why) => {
    for (const use of [run, body]) {
      expect((await refusal(use(fetchUrlTool(), { url, method: 'GET' }))).message).toMatch(why);
    }
  });

  it('is sealed in its one normal form, which stays when it is checked once more', async () => {
    const tool = fetchUrlTool();
    for (const [given, normal] of [
      ['HTTP://EXAMPLE.org:80/a/../b?q=ü#part', 'http://example.org/b?q=%C3%BC'],
      ['https://bücher.example', 'https://xn--bcher-kva.example/'],
      ['https://example.org:443/%7Ea', 'https://example.org/%7Ea'],
      ['http://ｅxample.org/', 'http://example.org/'],
    ] as const) {
      const once = await sealed(tool, { url: given });
      expect(once).toEqual({ url: normal, method: 'GET' });
      expect(await sealed(tool, once)).toEqual(once);
    }
    expect([tool.urls, tool.paths]).toEqual([['url'], undefined]);
  });
});

describe('what it sends', () => {
  it('is the method and no credential, cookie or body, and neighbours may run beside it', async () => {
    const seen: IncomingMessage[] = [];
    const { url } = await listening((request, response) => {
      seen.push(request);
      response.setHeader('set-cookie', 'a=b').end('ok');
    });
    await get({ url });
    await get({ url: `${url}x?y`, method: 'HEAD' });
    expect(seen.map(({ method, url: path }) => `${method} ${path}`)).toEqual(['GET /', 'HEAD /x?y']);
    for (const { headers } of seen) {
      expect(Object.keys(headers).toSorted()).toEqual([
        'accept',
        'accept-encoding',
        'connection',
        'host',
        'user-agent',
      ]);
    }
    const { concurrency } = fetchUrlTool({ methods: ['GET', 'POST'] });
    if (typeof concurrency !== 'function') throw new Error('it depends on the method');
    expect(['GET', 'POST'].map((method) => concurrency({ method }))).toEqual(['safe', 'exclusive']);
  });

  it('another method and a body only where the host has allowed it', async () => {
    let got = '';
    const { url } = await listening((request, response) => {
      request
        .on('data', (chunk) => (got += String(chunk)))
        .on('end', () => {
          got += ` ${request.method} ${request.headers['content-type']}`;
          response.end('ok');
        });
    });
    await expect(get({ url, method: 'POST' })).rejects.toThrow();
    await expect(get({ url, body: 'x' })).rejects.toThrow();
    const options = { ...loopback, methods: ['POST'] };
    await get({ url, body: '{"ä":1}', contentType: 'application/json' }, options);
    expect(got).toBe('{"ä":1} POST application/json');
    await expect(get({ url, body: 'x', contentType: 'a\r\nx: y' }, options)).rejects.toThrow(/no media type/);
  });
});

describe('what it tells', () => {
  it('a redirect is told with its target, and nobody goes there', async () => {
    let asked = 0;
    const { url } = await listening((request, response) => {
      asked++;
      const to = request.url === '/up' ? '/other?a=b' : 'http://169.254.169.254/latest';
      response.writeHead(request.url === '/up' ? 301 : 307, { location: to }).end('moved');
    });
    expect(await get({ url: `${url}up` })).toEqual({
      output: `HTTP 301 Moved Permanently: it redirects to ${url}other?a=b\n[not followed: call fetch_url with that URL]`,
      isError: false,
      metadata: { status: 301, url: `${url}up`, bytes: 0, cut: false, location: `${url}other?a=b` },
    });
    const { metadata } = await get({ url });
    await expect(get(metadata!['location'] === undefined ? {} : { url: metadata!['location'] })).rejects.toThrow(
      /no public address/,
    );
    expect(asked).toBe(2);
  });

  it('status, content type and body, as they are', async () => {
    const { url } = await listening(({ url: path }, response) => {
      if (path === '/gone') return void response.writeHead(404, { 'content-type': 'text/plain' }).end('not here');
      if (path === '/latin')
        return void response
          .setHeader('content-type', 'text/plain; charset=iso-8859-1')
          .end(Buffer.from('é', 'latin1'));
      if (path === '/image') return void response.setHeader('content-type', 'image/png').end(Buffer.from([137, 80]));
      if (path === '/liar') return void response.setHeader('content-type', 'text/html').end(Buffer.from([1, 0, 2]));
      if (path === '/odd') return void response.setHeader('content-type', 'text/plain; charset=klingon').end('x');
      if (path === '/none') return void response.end('bare');
      if (path === '/bytes') return void response.end(Buffer.from([0xff, 0xfe, 0xfd]));
      response.setHeader('content-type', 'application/json').end('{}');
    });
    const said = async (path: string) => (await get({ url: url + path })).output;
    expect(await get({ url: `${url}gone` })).toMatchObject({
      output: 'HTTP 404 Not Found; text/plain; 8 bytes\n\nnot here',
      isError: true,
    });
    expect(await said('')).toBe('HTTP 200 OK; application/json; 2 bytes\n\n{}');
    expect(await said('latin')).toBe('HTTP 200 OK; text/plain; charset=iso-8859-1; 1 bytes\n\né');
    expect(await said('image')).toBe('HTTP 200 OK; image/png; 2 bytes\n[image/png is not shown]');
    expect(await said('liar')).toBe('HTTP 200 OK; text/html; 3 bytes\n[it says text/html, but is no text]');
    expect(await said('odd')).toContain("its charset 'klingon' is not known");
    expect(await said('none')).toBe('HTTP 200 OK; 4 bytes\n\nbare');
    expect(await said('bytes')).toContain('[no content type, and no text]');
  });

  it('a body to its limit, also one that is endless, or small only as long as it is packed', async () => {
    const { url } = await listening(({ url: path }, response) => {
      response.setHeader('content-type', 'text/plain');
      if (path === '/zip')
        return void response.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(50_000_000, 97)));
      if (path === '/small') return void response.setHeader('content-encoding', 'gzip').end(gzipSync('hello'));
      if (path === '/odd') return void response.setHeader('content-encoding', 'zstd').end('x');
      const more = (): void =>
        void (response.write('ä'.repeat(1_000)) ? setImmediate(more) : response.once('drain', more));
      more();
    });
    const options = { ...loopback, maxBytes: 1_001 };
    const { output, metadata } = await get({ url }, options);
    expect(output).toBe(
      `HTTP 200 OK; text/plain; 1001 bytes or more\n\n${'ä'.repeat(500)}\n[there is more than the 1001 bytes that were read]`,
    );
    expect(metadata).toMatchObject({ bytes: 1_001, cut: true });
    expect((await get({ url: `${url}zip` }, options)).metadata).toMatchObject({ bytes: 1_001, cut: true });
    expect((await get({ url: `${url}small` }, options)).output).toContain('\n\nhello');
    await expect(get({ url: `${url}odd` }, options)).rejects.toThrow(/encoded as 'zstd'/);
  });
});

describe('how it ends', () => {
  it('in its time, whether name, head or body is late', async () => {
    const { url } = await listening(({ url: path }, response) => {
      if (path === '/body') response.write('the beginning');
    });
    const never: ResolveHost = () => {};
    for (const [path, more] of [
      [url, {}],
      [`${url}body`, {}],
      ['http://late.example/', { resolve: never }],
    ] as const) {
      const options = { ...loopback, ...more, timeoutMs: 150 };
      const late = { code: 'limit', message: expect.stringMatching(/has not answered in full after 150 ms/) };
      expect(await refusal(get({ url: path }, options)), path).toMatchObject(late);
      const abort = new AbortController();
      const reason = new Error('enough');
      const work = refusal(get({ url: path }, { ...loopback, ...more }, abort.signal));
      setTimeout(() => abort.abort(reason), 50);
      expect(await work).toBe(reason);
    }
  });

  it('with a reason when nobody answers, or nothing that is HTTP', async () => {
    const closed = await listening(() => {});
    servers.splice(0).forEach((server) => server.close());
    expect(await refusal(get({ url: closed.url }))).toMatchObject({
      code: 'network',
      message: expect.stringMatching(/takes no connection/),
    });
    const tcp = createTcpServer((socket) => socket.end('nonsense\r\n\r\n'));
    servers.push(tcp);
    await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
    const { port } = tcp.address() as AddressInfo;
    expect(await refusal(get({ url: `http://127.0.0.1:${port}/` }))).toMatchObject({ code: 'network' });
    const broken = await listening((_, response) => {
      response.setHeader('content-length', '100').write('half');
      setTimeout(() => response.destroy(), 20);
    });
    expect(await refusal(get({ url: broken.url }))).toMatchObject({
      code: 'network',
      message: expect.stringMatching(/in the middle/),
    });
    const missing: ResolveHost = (_, done) => done(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), []);
    expect(await refusal(get({ url: 'http://no.example/' }, { resolve: missing }))).toMatchObject({
      message: expect.stringMatching(/there is no host/),
    });
    expect(await refusal(get({ url: 'http://no.example/' }, { resolve: (_, done) => done(null, []) }))).toMatchObject({
      message: expect.stringMatching(/has no address/),
    });
  });

  it('without a socket or a timer that is left', async () => {
    const { url } = await listening((_, response) => response.end('x'.repeat(10_000)));
    const sockets = () => process.getActiveResourcesInfo().filter((kind) => /TCPSocket|Timeout/.test(kind)).length;
    const before = sockets();
    await Promise.all([get({ url }), get({ url }, { ...loopback, maxBytes: 10 }), get({ url, method: 'HEAD' })]);
    await expect.poll(sockets).toBeLessThanOrEqual(before);
  });
});

it.each([
  [{ maxByte: 1 }, /did you mean 'maxBytes'/],
  [{ allow: ['10.0.0.0/33'] }, /'10\.0\.0\.0\/33' is no address/],
  [{ allow: ['localhost'] }, /'localhost' is no address/],
  [{ methods: [] }, /'methods' must be a list/],
  [{ methods: ['get'] }, /'methods' must be a list/],
  [{ methods: ['CONNECT'] }, /CONNECT/],
  [{ timeoutMs: 0 }, /'timeoutMs' must be/],
])('the option %j is refused', (options, why) => {
  const refused = { code: 'TH_OPTION_INVALID', message: expect.stringMatching(why) };
  expect(() => fetchUrlTool(options as never)).toThrow(expect.objectContaining(refused));
});

describe('arguments that do not fit are refused with the mend', () => {
  it.each([
    [{}, /^write an absolute URL, such as "https:/],
    [{ url: 1 }, /^write an absolute URL, such as "https:/],
    [{ url: 'example.org' }, /are fetched: write one such as https:/],
    [{ url: 'https://example.org', method: 'PUT' }, /^write one of GET, POST, in capital letters$/],
    [{ url: 'https://example.org', body: {} }, /^it is no text: write the body as one$/],
    [{ url: 'https://example.org', contentType: 'é' }, /^it is no media type: write one such as/],
    [{ url: 'https://example.org', metod: 'GET' }, /^there is no 'metod': did you mean 'method'\?$/],
  ])('%j', async (args, mend) => {
    expect((await refusal(sealed(fetchUrlTool({ methods: ['GET', 'POST'] }), args))).message).toMatch(mend);
  });
});
