"""Scenes in glTF as others read them: the validator of Khronos has no messages, and a browser plays them with three.js.

Both packages come from npm, `npm install gltf-validator three` in a folder whose node_modules NODE_PATH names."""

from __future__ import annotations

import functools
import http.server
import json
import os
import re
import shutil
import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest

from flexmb.visual import View
from tests.visual.gltf_player import Player
from tests.visual.mixed import mixed_run

FOLDERS = map(Path, os.environ.get("NODE_PATH", "").split(os.pathsep))
PACKAGES = next((x for x in FOLDERS if (x / "three").is_dir() and (x / "gltf-validator").is_dir()), None)
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_packages = pytest.mark.skipif(
    PACKAGES is None or shutil.which("node") is None, reason="NODE_PATH has no gltf-validator and three"
)
needs_browser = pytest.mark.skipif(BROWSER is None, reason="there is no Chromium")
SWITCHES = ("--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")

VALIDATE = """
const validator = require("gltf-validator"), fs = require("fs");
validator.validateBytes(new Uint8Array(fs.readFileSync(process.argv[1])), {maxIssues: 0})
  .then(report => console.log(JSON.stringify(report.issues.messages)));
"""

#: plays a scene to some times; says where all vertices are then, and whether the pictures differ
PAGE = """<!DOCTYPE html><html><head><title>not yet</title>
<script type="importmap">{"imports": {"three": "/node/three/build/three.module.js",
 "three/addons/": "/node/three/examples/jsm/"}}</script></head><body style="margin: 0">
<script type="module">
import * as THREE from "three";
import {GLTFLoader} from "three/addons/loaders/GLTFLoader.js";
const times = @TIMES@;
try {
  const gltf = await new GLTFLoader().loadAsync("@FILE@");
  const renderer = new THREE.WebGLRenderer({antialias: true, preserveDrawingBuffer: true});
  renderer.setSize(900, 600);
  document.body.appendChild(renderer.domElement);
  const scene = new THREE.Scene();
  scene.background = new THREE.Color("@BACKGROUND@");
  scene.add(gltf.scene, new THREE.HemisphereLight("#ffffff", "#999999", 2.2));
  const sun = new THREE.DirectionalLight("#ffffff", 2.0);
  sun.position.set(-0.4, 1.0, 1.0);
  scene.add(sun);
  const mixer = new THREE.AnimationMixer(gltf.scene), action = mixer.clipAction(gltf.animations[0]);
  action.setLoop(THREE.LoopOnce);
  action.clampWhenFinished = true;
  action.play();
  const places = [], pictures = [], box = new THREE.Box3(), v = new THREE.Vector3();
  for (const time of times) {
    mixer.setTime(time);
    gltf.scene.updateMatrixWorld(true);
    const own = {};
    gltf.scene.traverse(mesh => {
      if (!mesh.isMesh) return;
      if (mesh.isSkinnedMesh) mesh.skeleton.update();
      const flat = [];
      for (let i = 0; i < mesh.geometry.attributes.position.count; i++) {
        mesh.getVertexPosition(i, v).applyMatrix4(mesh.matrixWorld);
        box.expandByPoint(v);
        flat.push(v.x, v.y, v.z);
      }
      mesh.frustumCulled = false;
      own[gltf.parser.associations.get(mesh).nodes] = [flat, [...(mesh.morphTargetInfluences ?? [])]];
    });
    places.push(own);
  }
  const middle = box.getCenter(new THREE.Vector3()), size = box.getSize(new THREE.Vector3()).length();
  const camera = new THREE.PerspectiveCamera(35, 1.5, 0.01 * size, 10 * size);
  camera.position.copy(middle).add(new THREE.Vector3(0.7, 0.5, 1.2).normalize().multiplyScalar(1.5 * size));
  camera.lookAt(middle);
  for (const time of times) {
    mixer.setTime(time);
    renderer.render(scene, camera);
    pictures.push(renderer.domElement.toDataURL());
  }
  document.title = JSON.stringify({seconds: gltf.animations[0].duration, places: places,
    different: new Set(pictures).size});
} catch (error) { document.title = JSON.stringify({error: String(error)}); }
</script></body></html>
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A folder, and the address at which a server on this machine gives its files and those of npm's packages."""
    folder = tmp_path_factory.mktemp("served")
    (folder / "node").symlink_to(PACKAGES.resolve())

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield folder, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


VIEWS = {
    "plain": {},
    "colored beams": {"color": "bending_moment_y", "trails": ["ball"]},
    "colored bodies": {"color": "deformation", "ghosts": [0.1], "background": "dark"},
}


@pytest.fixture(scope="module")
def mixed():
    return mixed_run()


def messages(path):
    """What the validator says of a file."""
    environment = {**os.environ, "NODE_PATH": str(PACKAGES)}
    command = ["node", "-e", VALIDATE, str(path)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout)


@needs_packages
@pytest.mark.parametrize("how", VIEWS)
@pytest.mark.parametrize("ending", [".glb", ".gltf"])
def test_the_validator_of_khronos_has_no_messages(mixed, tmp_path, how, ending):
    view = View(mixed, **VIEWS[how])
    for given in ({"pictures": 9}, {"time": 0.1}):
        assert messages(view.gltf(tmp_path / f"scene{ending}", **given)) == []


@needs_packages
def test_the_validator_has_no_messages_about_a_mechanism_of_the_plane(work, tmp_path):
    view = View(work, color="bending_moment", trails=["crank"], ghosts=[0.05])
    assert messages(view.gltf(tmp_path / "yard.glb", pictures=9)) == []


@needs_packages
@needs_browser
@pytest.mark.parametrize("how", VIEWS)
def test_a_browser_plays_what_is_in_the_file(mixed, served, tmp_path, how):
    """Vertices as three.js moves them are where the file has them, to the precision of its numbers, and are drawn."""
    folder, address = served
    view = View(mixed, **VIEWS[how])
    path = view.gltf(folder / "scene.glb", pictures=9)
    player = Player(path)
    times = [0.0, 0.4375 * player.seconds, 0.99 * player.seconds]
    text = PAGE.replace("@TIMES@", json.dumps(times)).replace("@FILE@", "scene.glb")
    (folder / "scene.html").write_text(text.replace("@BACKGROUND@", view.look.background), encoding="utf-8")
    options = [f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=60000", "--window-size=900,600"]
    command = [str(BROWSER), *SWITCHES, *options, "--dump-dom", f"{address}/scene.html"]
    document = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True).stdout
    said = json.loads(re.search(r"<title>(.*?)</title>", document)[1])
    assert "error" not in said, said
    assert said["seconds"] == pytest.approx(player.seconds, rel=1e-6)
    assert said["different"] == len(times)
    for time, places in zip(times, said["places"], strict=True):
        assert {int(node) for node in places} == set(player.meshes())
        for node in player.meshes():
            got = np.reshape(places[str(node)][0], (-1, 3))
            assert np.allclose(places[str(node)][1], player.weights(node, time), rtol=0.0, atol=1e-6)
            wanted = player.vertices(node, time)
            assert np.allclose(got, wanted, rtol=0.0, atol=1e-4 * view.scales.unit), player.head["nodes"][node]
