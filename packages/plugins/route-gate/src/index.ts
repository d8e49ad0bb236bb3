/** The public names of `@treblehook/plugin-route-gate`. */
export { install, routeGate } from './tenant.js';
export type { Routed, RouteGateAnswer, RouteGateClient, RouteGateEvent } from './tenant.js';
export type { Instead, Price, Route, RouteDecision, RouteGateOptions, TierRule } from './options.js';
