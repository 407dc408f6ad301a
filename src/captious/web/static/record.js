"use strict";
// A recording as an answer: record, listen, record again. What was recorded becomes a WAV file of
// 16 kHz, one channel, here in the browser, and is sent with the form like any other file.
(() => {
  const RATE = 16000;

  function wav(samples) {
    const bytes = new DataView(new ArrayBuffer(44 + 2 * samples.length));
    const text = (at, word) => [...word].forEach((letter, place) => bytes.setUint8(at + place, letter.charCodeAt(0)));
    text(0, "RIFF"); bytes.setUint32(4, 36 + 2 * samples.length, true); text(8, "WAVEfmt ");
    bytes.setUint32(16, 16, true); bytes.setUint16(20, 1, true); bytes.setUint16(22, 1, true);
    bytes.setUint32(24, RATE, true); bytes.setUint32(28, 2 * RATE, true); bytes.setUint16(32, 2, true); bytes.setUint16(34, 16, true);
    text(36, "data"); bytes.setUint32(40, 2 * samples.length, true);
    samples.forEach((sample, place) => bytes.setInt16(44 + 2 * place, Math.max(-1, Math.min(1, sample)) * 32767, true));
    return new File([bytes], "recording.wav", { type: "audio/wav" });
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

  for (const box of document.querySelectorAll("[data-recorder]")) prepare(box);

  function prepare(box) {
    const say = box.dataset;
    const [button, player, meter, state, file] =
      ["record", "player", "meter", "state", "file"].map((name) => box.querySelector(`[data-${name}]`));
    let recorder = null;
    let begun = 0;

    async function keep(blob) {
      const made = await plain(blob);
      const files = new DataTransfer();
      files.items.add(made);
      file.files = files.files;
      player.src = URL.createObjectURL(made);
      player.hidden = false;
      button.textContent = say.again;
      state.textContent = say.ready;
    }

    function watch(stream) {
      const context = new AudioContext();
      const analyser = context.createAnalyser();
      const levels = new Float32Array(analyser.fftSize);
      context.createMediaStreamSource(stream).connect(analyser);
      const tick = () => {
        if (!recorder) {
          context.close();
          meter.hidden = true;
          return;
        }
        analyser.getFloatTimeDomainData(levels);
        meter.value = Math.min(1, 4 * Math.sqrt(levels.reduce((sum, one) => sum + one * one, 0) / levels.length));
        state.textContent = say.recording.replace("{seconds}", Math.floor((performance.now() - begun) / 1000));
        setTimeout(tick, 200);
      };
      meter.hidden = false;
      tick();
    }

    async function record() {
      let stream;
      try {
        stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      } catch {
        state.textContent = say.noMicrophone;
        return;
      }
      const pieces = [];
      const running = new MediaRecorder(stream);
      running.addEventListener("dataavailable", (event) => pieces.push(event.data));
      running.addEventListener("stop", async () => {
        stream.getTracks().forEach((track) => track.stop());
        recorder = null;
        box.classList.remove("recording");
        try {
          await keep(new Blob(pieces, { type: running.mimeType }));
        } catch {
          state.textContent = say.failed;
          button.textContent = say.start;
        }
      });
      recorder = running;
      begun = performance.now();
      running.start();
      box.classList.add("recording");
      button.textContent = say.stop;
      watch(stream);
    }

    button.addEventListener("click", () => (recorder ? recorder.stop() : record()));
  }
})();
