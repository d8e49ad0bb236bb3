/** A provider of the plugin's own: batches to one collector, registered nowhere, closed with the plugin. */
import type { Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-node';
import { ATTR_SERVICE_NAME } from '@opentelemetry/semantic-conventions';
import type { CollectorConfig } from './config.js';

/** A host gives what is to be closed one second. */
const closeMs = 800;

/** `onFault` is told that spans were lost, once until the collector takes some again. */
export function collectorTracer(
  { endpoint, headers, serviceName, sampleRatio, timeoutMs }: CollectorConfig,
  onFault: (what: string) => void,
): { readonly tracer: Tracer; readonly close: () => Promise<void> } {
  const exporter = new OTLPTraceExporter({
    url: endpoint,
    headers: { ...headers },
    timeoutMillis: timeoutMs,
    keepAlive: false,
  });
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ [ATTR_SERVICE_NAME]: serviceName }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRatio) }),
    spanProcessors: [
      new BatchSpanProcessor(watched(exporter, new URL(endpoint).host, onFault), {
        exportTimeoutMillis: timeoutMs + 100,
      }),
    ],
  });
  return {
    tracer: provider.getTracer('@treblehook/plugin-tracing'),
    close: async () => {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, closeMs)));
      // swallows that the last spans are lost: the plugin is gone, and nobody is left to be told
      const closed = provider.shutdown().catch(() => {});
      await Promise.race([closed, late]);
      clearTimeout(timer);
    },
  };
}

/** Of a fault its kind and place are told: a body could hold anything, a header a key. */
function watched(exporter: SpanExporter, host: string, onFault: (what: string) => void): SpanExporter {
  let isTold = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const isLost = Number(result.code) !== 0;
        if (isLost && !isTold)
          tell(() => onFault(`the collector at ${host} takes no spans (${kindOf(result.error)}): they are lost`));
        isTold = isLost;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    ...(exporter.forceFlush && { forceFlush: () => exporter.forceFlush!() }),
  };
}

function tell(told: () => void): void {
  try {
    told();
  } catch {
    // swallows that the plugin is gone, and its log with it
  }
}

function kindOf(error: Error | undefined): string {
  const { code, name } = (error ?? {}) as { readonly code?: unknown; readonly name?: string };
  return typeof code === 'string' || typeof code === 'number' ? String(code) : (name ?? 'unknown');
}
