/** A loopback collector: real HTTP, OTLP as JSON, and every way in which one can fail. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
  readonly events: readonly string[];
  readonly links: readonly string[];
}

export interface Collector {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  readonly requests: { readonly headers: IncomingHttpHeaders; readonly text: string }[];
  readonly resource: () => Readonly<Record<string, unknown>>;
  readonly close: () => Promise<void>;
}

const valueOf = (value: any): unknown =>
  value.arrayValue ? value.arrayValue.values.map(valueOf) : (value.intValue ?? Object.values(value)[0]);
const record = (list: any[] = []): Record<string, unknown> =>
  Object.fromEntries(list.map(({ key, value }) => [key, valueOf(value)]));

export async function collector(
  answer: (response: ServerResponse) => void = (response) => void response.writeHead(200).end('{}'),
): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  const requests: { headers: IncomingHttpHeaders; text: string }[] = [];
  let resource: Record<string, unknown> = {};
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      requests.push({ headers: request.headers, text });
      for (const { resource: of, scopeSpans } of JSON.parse(text).resourceSpans) {
        resource = record(of.attributes);
        for (const span of scopeSpans.flatMap((scope: any) => scope.spans)) {
          spans.push({
            name: span.name,
            traceId: span.traceId,
            spanId: span.spanId,
            ...(span.parentSpanId && { parentSpanId: span.parentSpanId }),
            kind: span.kind,
            startMs: Number(span.startTimeUnixNano) / 1e6,
            endMs: Number(span.endTimeUnixNano) / 1e6,
            attributes: record(span.attributes),
            isError: span.status?.code === 2,
            events: (span.events ?? []).map(({ name }: any) => name),
            links: (span.links ?? []).map(({ spanId }: any) => spanId),
          });
        }
      }
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    spans,
    requests,
    resource: () => resource,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
