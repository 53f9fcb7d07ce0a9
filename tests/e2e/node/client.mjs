// A client in another language, from the protos alone: plays one hand of 比機 and prints what it was told, as JSON.
//
//   node client.mjs 127.0.0.1:50051 path/to/protos record.json
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import grpc from "@grpc/grpc-js";
import loader from "@grpc/proto-loader";

const [target, protos, recordFile] = process.argv.slice(2);
const options = { keepCase: true, includeDirs: [protos], longs: String, enums: String, oneofs: true };
const files = ["settlement", "accounts", "audit"].map((name) => `zhangfang/v1/${name}.proto`);
const { zhangfang } = grpc.loadPackageDefinition(loader.loadSync(files, options));
const credentials = grpc.credentials.createInsecure();
const settlement = new zhangfang.v1.SettlementService(target, credentials);
const accounts = new zhangfang.v1.AccountService(target, credentials);
const audit = new zhangfang.v1.AuditService(target, credentials);
const call = (service, method, request) => promisify(service[method]).call(service, request);

const record = JSON.parse(readFileSync(recordFile, "utf8"));
for (const player of record.bi_ji.players) {
  await call(accounts, "RegisterPlayer", { request_id: `register-${player}`, player_id: player });
  // 2^53 + 1: a number that JavaScript's own cannot hold.
  await call(accounts, "Deposit", { request_id: `deposit-${player}`, player_id: player, amount: "9007199254740993" });
}
await call(settlement, "OpenTable", { request_id: "open", table_id: "t-1", stake: "10", rules: { bi_ji: {} } });
const request = { request_id: "settle", hand_id: "h-1", table_id: "t-1", record };
const { hand } = await call(settlement, "SettleHand", request);

const again = await new Promise((resolve, reject) => {
  const answers = [];
  const stream = settlement.SettleHands();
  stream.on("data", (answer) => answers.push(answer));
  stream.on("error", reject);
  stream.on("end", () => resolve(answers));
  stream.write({ settle_hand: request });
  stream.write({ settle_hand: { ...request, hand_id: "h-2" } });
  stream.end();
});

const topics = await new Promise((resolve, reject) => {
  const seen = [];
  const stream = audit.StreamEvents({});
  stream.on("data", ({ event }) => seen.push(event.topic));
  stream.on("error", reject);
  stream.on("end", () => resolve(seen));
});

const refused = await call(settlement, "GetHand", { hand_id: "nobody" }).catch((error) => ({
  code: error.code,
  details: error.details,
  has_status: error.metadata.get("grpc-status-details-bin").length === 1,
}));

console.log(
  JSON.stringify({
    net: Object.fromEntries(hand.players.map((player) => [player.player_id, player.net])),
    balances: Object.fromEntries(hand.players.map((player) => [player.player_id, player.balance_after])),
    text_zh: hand.judgement.steps.map((step) => step.text_zh),
    repeated: again[0].result,
    repeated_position: again[0].hand.position === hand.position,
    reused: again[1].error.reason,
    topics,
    refused,
  }),
);
[settlement, accounts, audit].forEach((service) => service.close());
