/** A host with the plugin in its seat, and secrets that are spelled right and are nobody's. */
import { testHost, type TestHost, type TestHostOptions } from '@treblehook/testing';
import { defineTool, type StandardSchema, type Tool, type ToolAnswer } from '@treblehook/types';
import redact, { type RedactConfig } from '../src/index.js';

export const secrets = {
  aws: `AKIAIOSFODNN7EXAMPLE`,
  aws2: `AKIAJ2K3L4M5N6O7P8Q9`,
  github: `ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8`,
  jwt: `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9`,
  pem: `-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq4F1v0\nq1w2e3r4t5y6u7i8o9p0aaaa\n-----END RSA PRIVATE KEY-----`,
} as const;

/** A host whose personality has the plugin, and those that are given behind it. */
export function host(options: TestHostOptions = {}, config?: RedactConfig): Promise<TestHost> {
  const { plugins = [], ...rest } = options;
  const use = { plugin: redact, seat: true, ...(config === undefined ? {} : { config }) };
  return testHost({ ...rest, plugins: [use, ...plugins] });
}

export const anything: StandardSchema<unknown, any> = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) },
};

export const tool = (name: string, execute: (args: any) => ToolAnswer | Promise<ToolAnswer>): Tool =>
  defineTool({ name, description: name, input: anything, inputSchema: { type: 'object' }, execute });

/** All that was sent to the model, as one text. */
export const wire = ({ model }: TestHost): string => JSON.stringify(model.calls.map(({ prompt }) => prompt));
