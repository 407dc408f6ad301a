"use strict";
// A recording as an answer: record, listen, record again. What was recorded is turned into a WAV file
// of 16 kHz, one channel, here in the browser, and sent at once; the form keeps the name it gets.
(() => {
  const RATE = 16000;
  const csrf = () => document.querySelector("meta[name=csrf]").content;

  function wav(samples) {
    const bytes = new DataView(new ArrayBuffer(44 + 2 * samples.length));
    const text = (at, word) => [...word].forEach((letter, place) => bytes.setUint8(at + place, letter.charCodeAt(0)));
    text(0, "RIFF"); bytes.setUint32(4, 36 + 2 * samples.length, true); text(8, "WAVEfmt ");
    bytes.setUint32(16, 16, true); bytes.setUint16(20, 1, true); bytes.setUint16(22, 1, true);
    bytes.setUint32(24, RATE, true); bytes.setUint32(28, 2 * RATE, true); bytes.setUint16(32, 2, true); bytes.setUint16(34, 16, true);
    text(36, "data"); bytes.setUint32(40, 2 * samples.length, true);
    samples.forEach((sample, place) => bytes.setInt16(44 + 2 * place, Math.max(-1, Math.min(1, sample)) * 32767, true));
    return new Blob([bytes], { type: "audio/wav" });
  }

  async function plain(blob) {
    const context = new AudioContext();
    const heard = await context.decodeAudioData(await blob.arrayBuffer());
    await context.close();
    const offline = new OfflineAudioContext(1, Math.max(1, Math.ceil(heard.duration * RATE)), RATE);
    const source = offline.createBufferSource();
    source.buffer = heard;
    source.connect(offline.destination);
    source.start();
    return wav((await offline.startRendering()).getChannelData(0));
  }

  for (const box of document.querySelectorAll("[data-recorder]")) set(box);

  function set(box) {
    const { upload, words } = box.dataset;
    const say = JSON.parse(words);
    const [button, player, meter, state, answer] =
      ["record", "player", "meter", "state", "answer"].map((name) => box.querySelector(`[data-${name}]`));
    let recorder = null;
    let begun = 0;

    function done() {
      button.textContent = answer.value ? say.again : say.record;
      player.hidden = !answer.value;
    }

    async function send(blob) {
      state.textContent = say.sending;
      const file = await plain(blob);
      const sent = await fetch(upload, {
        method: "POST", body: file, credentials: "same-origin", headers: { "Content-Type": "audio/wav", Accept: "application/json", "X-CSRF-Token": csrf() },
      });
      const said = await sent.json().catch(() => ({}));
      if (!sent.ok) throw new Error(said.problems?.[0]?.message ?? said.error ?? say.failed);
      answer.value = said.name;
      player.src = URL.createObjectURL(file);
      state.textContent = say.ready;
      answer.dispatchEvent(new Event("input", { bubbles: true }));
    }

    function watch(stream) {
      const context = new AudioContext();
      const analyser = context.createAnalyser();
      const levels = new Float32Array(analyser.fftSize);
      context.createMediaStreamSource(stream).connect(analyser);
      const tick = () => {
        if (!recorder) { context.close(); meter.value = 0; return; }
        analyser.getFloatTimeDomainData(levels);
        meter.value = Math.min(1, 4 * Math.sqrt(levels.reduce((sum, one) => sum + one * one, 0) / levels.length));
        state.textContent = say.recording.replace("{seconds}", Math.floor((performance.now() - begun) / 1000));
        setTimeout(tick, 200);
      };
      tick();
    }

    async function record() {
      let stream;
      try {
        stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      } catch {
        state.textContent = say.no_microphone;
        return;
      }
      const pieces = [];
      recorder = new MediaRecorder(stream);
      recorder.addEventListener("dataavailable", (event) => pieces.push(event.data));
      recorder.addEventListener("stop", async () => {
        stream.getTracks().forEach((track) => track.stop());
        const kind = recorder.mimeType;
        recorder = null;
        box.classList.remove("recording");
        try {
          await send(new Blob(pieces, { type: kind }));
        } catch (error) {
          state.textContent = error.message || say.failed;
        }
        done();
      });
      begun = performance.now();
      recorder.start();
      box.classList.add("recording");
      button.textContent = say.stop;
      watch(stream);
    }

    button.addEventListener("click", () => (recorder ? recorder.stop() : record()));
    done();
  }
})();
