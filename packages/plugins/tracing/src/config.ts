/** The settings, and the check of them. */
import { settingsSchema, type Setting } from '@treblehook/types';

export interface TracerConfig {
  /** Whether texts of messages and results are in the spans. */
  readonly content: boolean;
}

export interface CollectorConfig extends TracerConfig {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** 0 to 1. */
  readonly sampleRatio: number;
  readonly timeoutMs: number;
}

export const tracerConfig = settingsSchema((settings): TracerConfig => {
  const { content } = settings.fields(['content']);
  return { content: contentOf(content) };
});

export const collectorConfig = settingsSchema((settings): CollectorConfig => {
  const known = ['endpoint', 'headers', 'serviceName', 'content', 'sampleRatio', 'timeoutMs'] as const;
  const { endpoint, headers, serviceName, content, sampleRatio, timeoutMs } = settings.fields(known);
  return {
    endpoint: endpoint === undefined ? settings.lacks('endpoint', mendOfEndpoint) : urlOf(endpoint),
    headers: headers === undefined ? {} : headersOf(headers),
    serviceName: serviceName === undefined ? 'treblehook' : serviceName.text(),
    content: contentOf(content),
    sampleRatio: sampleRatio === undefined ? 1 : numberOf(sampleRatio, (n) => n >= 0 && n <= 1, 'from 0 to 1'),
    timeoutMs:
      timeoutMs === undefined
        ? 5_000
        : numberOf(timeoutMs, (n) => Number.isInteger(n) && n >= 1 && n <= 60_000, 'of ms, whole, from 1 to 60000'),
  };
});

const mendOfEndpoint = 'write where spans are sent, such as http://127.0.0.1:4318/v1/traces';

function urlOf(setting: Setting): string {
  const text = setting.text();
  const protocol = URL.canParse(text) ? new URL(text).protocol : '';
  return protocol === 'http:' || protocol === 'https:'
    ? text
    : setting.refuse(`'endpoint' is no http URL: ${mendOfEndpoint}`);
}

/** The refusals name no value: it may be a key. */
function headersOf(setting: Setting): Readonly<Record<string, string>> {
  const headers: Record<string, string> = Object.create(null);
  for (const [name, one] of setting.entries()) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) one.refuse('this is no name of a header', 'key');
    const value = one.text();
    // eslint-disable-next-line no-control-regex -- what HTTP refuses
    if (/[\u0000-\u001f\u007f]/.test(value))
      one.refuse('the value of this header has a line break or another control character');
    headers[name] = value;
  }
  return headers;
}

const contentOf = (setting: Setting | undefined): boolean =>
  setting === undefined || typeof setting.value === 'boolean'
    ? setting?.value === true
    : setting.refuse("'content' is true or false");

function numberOf(setting: Setting, isRight: (value: number) => boolean, range: string): number {
  const { value, name } = setting;
  return typeof value === 'number' && isRight(value) ? value : setting.refuse(`${name} must be a number ${range}`);
}
